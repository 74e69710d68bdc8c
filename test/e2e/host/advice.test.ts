// Our plugin in the real host while the agent works: who is told, in which words, how often.
import { afterAll, beforeAll } from 'vitest';
import { adviceTests, ADVICE_SCRIPT } from '../../support/advice-tests.ts';
import { describeHost } from '../../support/describe-host.ts';
import { startHost, type Host } from '../../support/host.ts';
import { startWorld, type World } from '../../support/host-world.ts';
import { installOurs, type OurPlugin } from '../../support/our-plugin.ts';

describeHost('advice in the real host, judged by rules', () => {
  let world: World;
  let host: Host;
  let ours: OurPlugin;

  beforeAll(async () => {
    world = await startWorld({ script: ADVICE_SCRIPT });
    ours = installOurs(world);
    host = await startHost({ world, plugin: ours.plugin });
    await host.waitFor(/1 monitor/);
  });
  afterAll(() => world?.stop());

  adviceTests(() => ({ host, ours }));
});
