import { Bag } from "@place-access/domain/shared"
import { GlobalValue } from "effect"

/**
 * Keeps root fibers, which no other fiber started, such as those of requests and deliveries, in a `Bag`. `effect` keeps
 * them in a set, and V8 frees what was in a set only at a large garbage collection. README.md in this folder lists the
 * internals of `effect` that this function relies on.
 */
export const install = (): void => {
  const scope = GlobalValue.globalValue(Symbol.for("effect/FiberScope/Global"), () => ({}) as { roots?: unknown })
  if (!(scope.roots instanceof Set)) return
  const roots = new Bag<object>()
  for (const fiber of scope.roots as ReadonlySet<object>) roots.add(fiber)
  scope.roots = roots
}
