import { expect } from 'chai';
import { classesIn } from '../classes.js';

describe('classes', () => {
  it('are found with their namespaces, but for those of the file alone', () => {
    const text = [
      'namespace steptree::detail {',
      'class Named;',
      'struct Named final : Other {',
      '    struct Inner {',
      '};',
      'template <class T>',
      'struct Named<T*> {',
      'namespace {',
      'class Own {',
      '}  // namespace',
      'enum class What : std::uint8_t {',
      '}  // namespace steptree::detail',
      'namespace steptree {',
      'class STEPTREE_VISIBLE Named {',
      '}  // namespace steptree',
    ];
    expect(classesIn(text.join('\n'))).to.deep.equal([
      'steptree::detail::Named',
      'steptree::detail::What',
      'steptree::Named',
    ]);
  });

  it('may have bases that are templates, in one line or in two', () => {
    const text = [
      'class Named final : public Base<int> {',
      '};',
      'class Wrapped',
      '    : Base<int> {',
    ];
    expect(classesIn(text.join('\n'))).to.deep.equal(['Named', 'Wrapped']);
  });

  it('are not within a namespace of one declaration that stands before them', () => {
    const text = [
      'namespace other {',
      'class Declared;',
      '}',
      'namespace other {',
      'template <class T>',
      'class Declared;',
      '}',
      'namespace other {',
      'class Empty {};',
      '}',
      'namespace steptree {',
      'void call() {',
      '    go();',
      '}',
      'class Named {',
      '}  // namespace steptree',
      'class Outside {',
    ];
    expect(classesIn(text.join('\n'))).to.deep.equal([
      'other::Empty',
      'steptree::Named',
      'Outside',
    ]);
  });
});
