const { AsyncSteps, errors } = require('steptree');
const { task } = require('steptree/pool');

new AsyncSteps()
  .add(
    (asi) => asi.error('Mine'),
    (asi, code) => asi.success(code, typeof errors.Timeout),
  )
  .add((_asi, code, type) => console.log('require', code, type))
  .add(() => console.log('require', typeof task(() => 1)))
  .execute();
