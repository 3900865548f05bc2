/** Holds a case against case.schema.json and says in words what does not fit. */
import { readFileSync } from 'node:fs';
import { Ajv, type ErrorObject } from 'ajv';

const path = new URL('case.schema.json', import.meta.url);
const ajv = new Ajv({ allErrors: true, strict: true, strictTypes: false, strictRequired: false });
const validate = ajv.compile(JSON.parse(readFileSync(path, 'utf8')));

export function schemaProblems(program: unknown): string[] {
  if (validate(program)) return [];
  const errors = (validate.errors ?? []).filter(({ keyword }) => keyword !== 'if');
  const texts = errors
    .filter((error) => !isAlternative(error, errors))
    .map((error) => `${place(error)}${describe(error)}`);
  return [...new Set(texts)];
}

/** The single failures of an anyOf say less than the anyOf itself. */
function isAlternative(error: ErrorObject, errors: readonly ErrorObject[]): boolean {
  return errors.some(
    (other) =>
      other !== error &&
      (other.keyword === 'anyOf' || other.keyword === 'oneOf') &&
      error.schemaPath.startsWith(`${other.schemaPath}/`),
  );
}

function place(error: ErrorObject): string {
  return error.instancePath === '' ? '' : `at ${error.instancePath}: `;
}

function describe(error: ErrorObject): string {
  switch (error.keyword) {
    case 'additionalProperties':
      return `unknown key '${error.params['additionalProperty']}'`;
    case 'enum':
      return `must be one of ${error.params['allowedValues'].join(', ')}`;
    case 'anyOf':
      return 'names no known form or action, or holds a value of a wrong type';
    default:
      return error.message ?? error.keyword;
  }
}
