// What a library that requires the package gives to a program that imports it.
import { Channel, type IAsyncSteps, Mutex, Scope, step, StepError } from 'steptree';

export const plus = step((_asi, n: number) => n + 1).onError((asi) => asi.success(0));
export const mutex = new Mutex();
export const channel = new Channel<number>({ capacity: 1 });
export const scope = new Scope();
export const failure = new StepError('Code');
export const body = (asi: IAsyncSteps, n: number) => asi.success(n);
