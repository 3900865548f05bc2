// On what isn't Node: all that the package promises there.
import { AsyncSteps, defaultTool, StepError } from 'steptree';
import { inspect } from 'steptree/inspector';
import { locator } from 'steptree/locate';
import { offload } from 'steptree/pool';

new AsyncSteps()
  .add(offload({ run: async (task) => `${task} works` }, 'offload'))
  .add((_asi, what) => console.log(what))
  .add(async () => {
    const inspector = await inspect(defaultTool);
    const { status } = await fetch(inspector.url);
    await inspector.close();
    console.log('inspector', status, 'closed');
  })
  .execute();

// It's Node's inspector that knows it: asked elsewhere it says so.
try {
  locator();
} catch (error) {
  if (error instanceof StepError) console.log(error.code, error.info);
}
