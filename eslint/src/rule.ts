// What all rules have in common.

import type { Rule } from 'eslint';
import { type Model, modelOf } from './model.js';
import type { Node } from './syntax.js';

export interface Mend {
  /** What is to be written in the place of what. */
  readonly changes: readonly (readonly [range: readonly [number, number], text: string])[];
}

export interface Finding {
  readonly node: Node;
  readonly messageId: string;
  readonly data?: Record<string, string>;
  /** What `--fix` does. */
  readonly fix?: Mend | undefined;
  /** What an editor offers; its message has that id. */
  readonly suggestion?: (Mend & { readonly messageId: string }) | undefined;
}

export interface Facts {
  readonly description: string;
  readonly messages: Readonly<Record<string, string>>;
  /** By `--fix`, or by what an editor offers. */
  readonly mends?: readonly ('fix' | 'offer')[];
}

/** What a rule looks at: what of the file is steptree's, its text, and where findings go. */
export interface Look {
  readonly model: Model;
  text(node: Node): string;
  report(finding: Finding): void;
}

export type Listener = Readonly<Record<string, (node: any, ...more: any[]) => void>>;

export function ruleOf(facts: Facts, create: (look: Look) => Listener): Rule.RuleModule {
  const { description, messages, mends = [] } = facts;
  return {
    meta: {
      type: 'problem',
      docs: { description, recommended: true },
      messages: { ...messages },
      schema: [],
      hasSuggestions: mends.includes('offer'),
      ...(mends.includes('fix') ? { fixable: 'code' as const } : {}),
    },
    create(context) {
      const { sourceCode, settings } = context;
      const look: Look = {
        model: modelOf(sourceCode, settings),
        text: (node) => sourceCode.getText(node as any),
        report({ node, messageId, data = {}, fix, suggestion }) {
          const suggest = suggestion && [
            { messageId: suggestion.messageId, data, fix: fixer(suggestion) },
          ];
          context.report({
            node: node as any,
            messageId,
            data,
            ...(fix ? { fix: fixer(fix) } : {}),
            ...(suggest ? { suggest } : {}),
          });
        },
      };
      return create(look) as unknown as Rule.RuleListener;
    },
  };
}

function fixer({ changes }: Mend): Rule.ReportFixer {
  return (writer) =>
    changes.map(([[begin, end], text]) => writer.replaceTextRange([begin, end], text));
}
