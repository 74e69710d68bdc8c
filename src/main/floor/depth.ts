// How deep a value from outside is nested: writing one out, and much else, takes a piece of the stack for each level.

/** Whether objects and lists in `value` hold each other more than `MOST_LEVELS` deep. */
export const isDeep = (value: unknown, left = MOST_LEVELS): boolean =>
  typeof value === 'object' && value !== null && (left === 0 || Object.values(value).some((each) => isDeep(each, left - 1)));

/** Nothing that a person or a model means to say comes near it. */
const MOST_LEVELS = 100;
