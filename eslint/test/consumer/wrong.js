import { step } from 'steptree';

export const page = step((asi) => {
  asi.add((inner) => asi.success('text'));
});
