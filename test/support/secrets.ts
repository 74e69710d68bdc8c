// Made-up secrets of every kind. Whole ones stand nowhere in a file of ours, so that no scanner takes them for real.

/** A key's body; `salt` makes another one. */
export const body = (length: number, alphabet = 'abcdefGHIJKL0123456789mnopQRSTuvwxYZ', salt = 3): string =>
  Array.from({ length }, (_, i) => alphabet[(i * 7 + salt) % alphabet.length]).join('');
const upper = (length: number): string => body(length, 'ABCDEFGH234567JKLMNP');
export const hex = (length: number): string => body(length, '0123456789abcdef');

export const TOKENS: readonly (readonly [kind: string, token: string])[] = [
  ['anthropic', `sk-ant-${'api03'}-${body(80)}`],
  ['openai', `sk-${'proj'}-${body(48)}`],
  ['aws', `AKIA${upper(16)}`],
  ['github', `ghp_${body(36)}`],
  ['github', `github_pat_${body(40)}`],
  ['gitlab', `glpat-${body(20)}`],
  ['slack', `xoxb-${'1234567890'}-${body(24)}`],
  ['google', `AIza${body(35)}`],
  ['stripe', `sk_live_${body(24)}`],
  ['npm', `npm_${body(36)}`],
  ['pypi', `pypi-${body(60)}`],
  ['huggingface', `hf_${body(34)}`],
  ['token', `dop_v1_${hex(64)}`],
  ['token', `SG.${body(22)}.${body(43)}`],
  ['twilio', `SK${hex(32)}`],
  ['mailgun', `key-${hex(32)}`],
  ['jwt', `eyJ${body(17)}.eyJ${body(30)}.${body(43)}`],
  ['private-key', `-----BEGIN RSA ${'PRIVATE'} KEY-----\n${body(64)}\n${body(40)}==\n-----END RSA ${'PRIVATE'} KEY-----`],
];

export const NAMED: readonly (readonly [text: string, secret: string, kind: string])[] = [
  ['DB_PASSWORD=hunter2', 'hunter2', 'password'],
  ['export GITHUB_TOKEN=abc123', 'abc123', 'token'],
  ['PASSWORD="correct horse battery"', 'correct horse battery', 'password'],
  ['{"password": "hunter2"}', 'hunter2', 'password'],
  ['{\\"apiKey\\":\\"q1w2e3r4\\"}', 'q1w2e3r4', 'api-key'],
  ['password: hunter2\nuser: x', 'hunter2', 'password'],
  ['client_secret: swordfish', 'swordfish', 'secret'],
  ['api_key = "abcd1234"', 'abcd1234', 'api-key'],
  ['mysql --password hunter2 -h db', 'hunter2', 'password'],
  ['deploy --api-key=zz11yy22', 'zz11yy22', 'api-key'],
  [`aws_secret_access_key = ${body(20)}/${body(19)}`, `${body(20)}/${body(19)}`, 'secret'],
  ['curl -H "Authorization: Bearer abcdef0123456789"', 'abcdef0123456789', 'authorization'],
  ['Authorization: Basic dXNlcjpwYXNz', 'dXNlcjpwYXNz', 'authorization'],
  ['sent bearer abcdef0123456789 along', 'abcdef0123456789', 'bearer'],
  ['Cookie: sid=abc123; theme=dark', 'sid=abc123; theme=dark', 'cookie'],
  ['postgres://app:p4ss:word@db/shop', 'p4ss:word', 'url'],
  [`https://${body(30)}@git.example.com/x`, body(30), 'url'],
  ['curl -u admin:s3cret http://x', 's3cret', 'password'],
  [`cache key: ${body(24)}`, body(24), 'api-key'],
  ['//registry/:_authToken=abc123abc', 'abc123abc', 'auth'],
  ['https://id.example.com/?next=%2Fdone%3Fclient_secret%3Dswordfish%26n%3D1', 'swordfish%26n%3D1', 'secret'],
  [`POST body: redirect%3Ftoken%3d${body(24)}`, body(24), 'token'],
  [`%3Fname%3Dx%26access_token%3D${body(24)} went out`, body(24), 'token'],
];
