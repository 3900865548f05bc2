import { expect } from 'chai';
import { Bucket, FixedWindow, SlidingWindow } from '../src/admission.js';

describe('admission', () => {
  it('a window whose timer comes late has begun in time', () => {
    const window = new FixedWindow(2, 10);
    expect([window.admit(0), window.admit(0), window.admit(0)]).to.deep.equal([true, true, false]);
    window.tick(25);
    expect(window.delay(25)).to.equal(5);
    expect([window.admit(25), window.admit(25), window.admit(25)]).to.deep.equal([
      true,
      true,
      false,
    ]);
  });

  it('a timer of another window changes nothing', () => {
    const window = new FixedWindow(1, 10);
    expect(window.admit(0)).to.equal(true);
    window.tick(4);
    expect([window.admit(4), window.delay(4)]).to.deep.equal([false, 6]);
  });

  it('any period has at most so many', () => {
    const window = new SlidingWindow(2, 10);
    expect([0, 6, 9, 10, 11, 16].map((now) => window.admit(now))).to.deep.equal([
      true,
      true,
      false,
      true,
      false,
      true,
    ]);
    expect(window.delay(16)).to.equal(4);
  });

  it('a bucket fills with the time, and by nothing when a clock goes back', () => {
    const bucket = new Bucket(1, 10, 2);
    expect([0, 0, 0].map((now) => bucket.admit(now))).to.deep.equal([true, true, false]);
    expect(bucket.delay(0)).to.equal(10);
    expect([9, 3, 10, 10, 1000, 1000, 1000].map((now) => bucket.admit(now))).to.deep.equal([
      ...[false, false, true, false],
      ...[true, true, false],
    ]);
  });
});
