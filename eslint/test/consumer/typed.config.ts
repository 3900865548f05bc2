import type { Linter } from 'eslint';
import { defineConfig } from 'eslint/config';
import steptree from 'eslint-plugin-steptree';

export default defineConfig([{ files: ['**/*.ts'], extends: [steptree.configs.recommended] }]);
export const one: Linter.Config = { plugins: { steptree } };
