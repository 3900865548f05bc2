const { AsyncSteps, errors } = require('steptree');

new AsyncSteps()
  .add(
    (asi) => asi.error('Mine'),
    (asi, code) => asi.success(code, typeof errors.Timeout),
  )
  .add((_asi, code, type) => console.log('require', code, type))
  .execute();
