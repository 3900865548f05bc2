import { expect } from 'chai';
import { broken } from '../layout.js';
import { callbacksOf, functionsOf, macrosOf, membersOf, numbersOf } from '../layout/header.js';

const header = `
#ifndef A_H
#define A_H
#define A_ABI UINT32_C(0x00010000)
#define A_HAS(table, member) \\
    ((table)->member) /* there */
/* The types. */
enum { A_ONE = 1, A_TWO = 1 << 1 };
typedef const a_error* (*a_body)(a_step* asi,
                                 void* data);
typedef struct a_thing {
    uint32_t size; /* in bytes */
    void (*drop)(void* data);
    double base, cap;
    union {
        int64_t number;
    } of;
} a_thing;
const a_api*
a_host(uint32_t version);
#endif
`;

describe('what is recorded of the C header', () => {
  it('has members with their declarations', () => {
    expect(membersOf(header)).to.deep.equal([
      { struct: 'a_thing', name: 'size', declaration: 'uint32_t size' },
      { struct: 'a_thing', name: 'drop', declaration: 'void (*drop)(void* data)' },
      { struct: 'a_thing', name: 'base', declaration: 'double base, cap' },
      { struct: 'a_thing', name: 'cap', declaration: 'double base, cap' },
      { struct: 'a_thing', name: 'of', declaration: 'union { int64_t number; } of' },
    ]);
  });

  it('has the numbers of enums', () => {
    expect(numbersOf(header)).to.deep.equal(['A_ONE', 'A_TWO']);
  });

  it('has the types of functions, and functions', () => {
    expect(callbacksOf(header)).to.deep.equal([
      ['a_body', 'const a_error* (*)(a_step* asi, void* data)'],
    ]);
    expect(functionsOf(header)).to.deep.equal(['const a_api* a_host(uint32_t version)']);
  });

  it('has macros, of a version the name', () => {
    expect(macrosOf(header)).to.deep.equal(['A_ABI', 'A_HAS(table, member) ((table)->member)']);
  });

  const head = '/* Major number 1; */\n';
  for (const line of [
    'AT(a_thing, size, 0, 4);',
    'CHECK(A_ONE == 1);',
    'SAME(a_body, int (*)(void));',
    '/* function: int a_host(void) */',
    '/* macro: A_HAS(table) 1 */',
  ]) {
    it(`tells that it is lost: ${line}`, () => {
      expect(broken(`${head}    ${line}\n`, head)).to.deep.equal([`    ${line}`]);
      expect(broken(`${head}    ${line}\n`, '/* Major number 2; */\n')).to.deep.equal([]);
    });
  }
});
