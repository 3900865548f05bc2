// For the build of `steptree`, which knows nothing of this package but its name.
declare module 'steptree-native';
