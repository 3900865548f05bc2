const steptree = require('eslint-plugin-steptree');

module.exports = [{ plugins: { steptree }, rules: { 'steptree/no-outer-accessor': 'warn' } }];
