const { AsyncSteps, defaultTool, errors } = require('steptree');
const { inspect } = require('steptree/inspector');
const { locator } = require('steptree/locate');
const { task } = require('steptree/pool');

new AsyncSteps()
  .add(
    (asi) => asi.error('Mine'),
    (asi, code) => asi.success(code, typeof errors.Timeout),
  )
  .add((_asi, code, type) => console.log('require', code, type))
  .add(() => console.log('require', typeof task(() => 1)))
  .add(() => {
    const { locate, close } = locator();
    console.log(locate(function here() {}).replace(/^.*[/]/, ''));
    close();
  })
  .add(async () => {
    const inspector = await inspect(defaultTool);
    const { status } = await fetch(inspector.url);
    await inspector.close();
    console.log('inspector', status, 'closed');
  })
  .execute();
