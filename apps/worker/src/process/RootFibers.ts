import { Bag } from "@place-access/domain/shared"
import { GlobalValue } from "effect"

/**
 * Keeps root fibers in a `Bag`. A root fiber is a fiber that is no other fiber's child, such as the fiber of a request
 * or of a delivery. `effect` keeps root fibers in a set, and V8 frees the members of a set only at a large garbage
 * collection. README.md in this folder lists the internals of `effect` that this function relies on.
 */
export const install = (): void => {
  const scope = GlobalValue.globalValue(Symbol.for("effect/FiberScope/Global"), () => ({}) as { roots?: unknown })
  if (!(scope.roots instanceof Set)) return
  const roots = new Bag<object>()
  for (const fiber of scope.roots as ReadonlySet<object>) roots.add(fiber)
  scope.roots = roots
}
