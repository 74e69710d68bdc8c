// What a subcommand is given and what it is.

export type Words = { readonly positionals: readonly string[]; readonly flags: Readonly<Record<string, string | boolean | undefined>> };

/** Exit codes: 0 done, 1 the answer is no, 2 wrong words, 3 the input cannot be used, 70 a fault of ours. */
export type Command = {
  readonly usage: string;
  readonly help: string;
  /** Words it takes besides its options; absent where it looks itself. */
  readonly most?: number;
  readonly run: (words: Words) => Promise<number>;
};
