// What a parsed JSON value is, for whoever reads one with distrust.

/** What JSON calls an object: a value with named fields that may be anything. */
export const isObject = (raw: unknown): raw is Readonly<Record<string, unknown>> => typeof raw === 'object' && raw !== null && !Array.isArray(raw);
