import steptree from 'eslint-plugin-steptree';

export default [steptree.configs.recommended];
