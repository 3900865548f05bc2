// The plugin: its rules, and the configuration that switches all of them on.

import type { ESLint, Linter } from 'eslint';
import noAsyncHandler from './rules/no-async-handler.js';
import noBusyLoop from './rules/no-busy-loop.js';
import noDroppedFallback from './rules/no-dropped-fallback.js';
import noEagerAwait from './rules/no-eager-await.js';
import noEndlessWait from './rules/no-endless-wait.js';
import noFloatingSteps from './rules/no-floating-steps.js';
import noGeneratorBody from './rules/no-generator-body.js';
import noKeptAccessor from './rules/no-kept-accessor.js';
import noLateAccessor from './rules/no-late-accessor.js';
import noOuterAccessor from './rules/no-outer-accessor.js';
import noTwoOutcomes from './rules/no-two-outcomes.js';

const rules = {
  'no-async-handler': noAsyncHandler,
  'no-busy-loop': noBusyLoop,
  'no-dropped-fallback': noDroppedFallback,
  'no-eager-await': noEagerAwait,
  'no-endless-wait': noEndlessWait,
  'no-floating-steps': noFloatingSteps,
  'no-generator-body': noGeneratorBody,
  'no-kept-accessor': noKeptAccessor,
  'no-late-accessor': noLateAccessor,
  'no-outer-accessor': noOuterAccessor,
  'no-two-outcomes': noTwoOutcomes,
};

const plugin: ESLint.Plugin & { configs: { recommended: Linter.Config } } = {
  meta: { name: 'eslint-plugin-steptree', version: '0.1.0', namespace: 'steptree' },
  rules,
  configs: { recommended: {} },
};
plugin.configs.recommended = {
  name: 'steptree/recommended',
  plugins: { steptree: plugin },
  rules: Object.fromEntries(Object.keys(rules).map((name) => [`steptree/${name}`, 'error'])),
};

export default plugin;
