// The compute pool's entry: bytes in, bytes out, nothing kept between tasks and no network.
import { decode, encode, type ComputeTask } from './contract.ts';
import { projectRange } from './project.ts';
import { answerFileTool } from './tools/file-tool.ts';

type Answers = { readonly [K in ComputeTask['kind']]?: (task: Extract<ComputeTask, { kind: K }>) => unknown };

/** One row a kind of task. */
const ANSWERS: Answers = {
  project: projectRange,
  'file-tool': answerFileTool,
};

/**
 * The answer to an encoded `ComputeTask`, encoded. Rejects for a kind without a row, and when its row throws. The result
 * is cloned at its exact size: Piscina's mark for moving is a symbol of its module, which bundles do not share.
 */
// oxlint-disable-next-line import/no-default-export -- what Piscina calls
export default async (bytes: Uint8Array): Promise<Uint8Array> => {
  const task = decode<ComputeTask>(bytes);
  const answer = (Object.hasOwn(ANSWERS, task.kind) ? ANSWERS[task.kind] : undefined) as ((task: ComputeTask) => unknown) | undefined;
  if (answer === undefined) throw new Error(`no such task: ${String(task.kind)}`);
  return encode(await answer(task));
};
