// Wraps an engine or a verifier, to listen to it.

/** The same object, with some of its methods replaced. */
export function delegate<Target extends object>(target: Target, replaced: Partial<Target>): Target {
  return new Proxy(target, {
    get(object, name) {
      if (Object.hasOwn(replaced, name)) return replaced[name as keyof Target];
      const value: unknown = Reflect.get(object, name, object);
      return typeof value === 'function' ? value.bind(object) : value;
    },
  });
}
