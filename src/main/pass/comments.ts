// Whether an edit, as the stream shows it, touches nothing but comments. In doubt it does not.

/** `text`: the rendering of an edit, its lines marked `+ ` and `- ` below the head; `path` tells the language. */
export const isCommentOnly = (text: string, path: string): boolean => {
  const comment = commentOf(path);
  const lines = text.split('\n').slice(1);
  // An elided line is neither an added nor a removed one.
  return comment !== undefined && lines.length > 0 && lines.every((line) => /^[+-] /.test(line) && (line.slice(2).trim() === '' || comment.test(line.slice(2))));
};

const commentOf = (path: string): RegExp | undefined => COMMENTS.find(([files]) => files.test(path))?.[1];

const COMMENTS: readonly (readonly [files: RegExp, comment: RegExp])[] = [
  [/\.(?:py|pyi|rb|sh|bash|r|ex|exs|pl|pm|jl|tf|nim)$/i, /^\s*#/],
  [/\.(?:sql|hs|lua|elm)$/i, /^\s*--/],
  [/\.(?:[cm]?[jt]sx?|go|rs|java|kts?|scala|c|cc|cpp|cxx|hh?|hpp|mm?|cs|fs|swift|php|dart|zig|groovy|sol)$/i, /^\s*(?:\/\/|\/\*(?:(?!\*\/).)*\*\/\s*$)/],
];
