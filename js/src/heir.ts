// Inheriting without `extends`, whose super() costs more than the object that it makes.
//
// A bundler drops what nobody names, if no statement at the top of a module has an effect: so the call is marked pure, and only
// the heir is named, never the bare class. It has the class's name all the same, and the documentation that users are shown.

interface Class {
  readonly prototype: object;
}

/** Lets instances of a class inherit from another one. */
export function heirOf<C extends Class>(parent: Class, heir: C): C {
  Object.setPrototypeOf(heir.prototype, parent.prototype);
  return heir;
}
