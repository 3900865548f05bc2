const { AsyncSteps } = require('steptree');

const flow = new AsyncSteps();
flow.add((asi) => asi.success('text'));
