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
});
