import { step } from 'steptree';

export const page = step((asi) => {
  asi.add((inner) => inner.success('text'));
});
