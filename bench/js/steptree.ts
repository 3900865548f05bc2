import { readFileSync } from 'node:fs';
import { als, als_await, als_external, als_request3 } from './als.js';
import { awaiting } from './await.js';
import { cancel } from './cancel.js';
import { defined } from './defined.js';
import { error } from './error.js';
import { error_native } from './error_native.js';
import { error_nothrow } from './error_nothrow.js';
import { external } from './external.js';
import { flat10 } from './flat10.js';
import { grows_nesting } from './grows_nesting.js';
import { grows_simple } from './grows_simple.js';
import { grows_switch } from './grows_switch.js';
import { grows_timers } from './grows_timers.js';
import { lateness } from './lateness.js';
import { limiter, lock } from './lock.js';
import { lock_contended } from './lock_contended.js';
import { loop } from './loop.js';
import { loop_step } from './loop_step.js';
import { map } from './map.js';
import { map100 } from './map100.js';
import { nested10 } from './nested10.js';
import { aggregator } from './page.js';
import { observed, recorded } from './observed.js';
import { parallel10 } from './parallel10.js';
import { request3 } from './request3.js';
import { simple } from './simple.js';
import { crowds, growing, levels, type Subject } from './subject.js';
import { timeout } from './timeout.js';
import { waiting_bytes } from './waiting_bytes.js';

const manifest = new URL('../../package.json', import.meta.url);

export const subject: Subject = {
  name: 'steptree',
  version: JSON.parse(readFileSync(manifest, 'utf8')).version,
  programs: {
    simple,
    observed,
    recorded,
    loop,
    loop_step,
    flat10,
    nested10,
    error,
    error_native,
    error_nothrow,
    parallel10,
    map,
    await: awaiting,
    als,
    als_await,
    als_external,
    als_request3,
    timeout,
    external,
    cancel,
    waiting_bytes,
    lateness,
    request3,
    map100,
    aggregator,
    ...defined,
    lock,
    ...growing('lock_contended', ['1k', '100k'], lock_contended),
    limiter,
    ...growing('grows_simple', crowds, grows_simple),
    ...growing('grows_switch', crowds, grows_switch),
    ...growing('grows_nesting', levels, grows_nesting),
    ...growing('grows_timers', crowds, grows_timers),
  },
};
