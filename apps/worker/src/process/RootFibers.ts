import { Bag } from "@place-access/domain/shared"
import { GlobalValue } from "effect"

/**
 * Keeps the fibers that were started outside of another, such as those of requests and deliveries, in a `Bag`. `effect`
 * keeps them in a set, whose old tables would keep each of them in memory. README.md lists what this relies on.
 */
export const install = (): void => {
  const scope = GlobalValue.globalValue(Symbol.for("effect/FiberScope/Global"), () => ({}) as { roots?: unknown })
  if (!(scope.roots instanceof Set)) return
  const roots = new Bag<object>()
  for (const fiber of scope.roots as ReadonlySet<object>) roots.add(fiber)
  scope.roots = roots
}
