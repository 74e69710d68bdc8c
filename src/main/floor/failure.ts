// What a failure says, whatever was thrown.

/** What a caught value says. Anything can be thrown. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
