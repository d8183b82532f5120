/**
 * Work without input or output. It is measured in a separate process, where neither the memory nor the compiled code of
 * the harness can disturb it.
 */

/** Does the work once and returns the number of operations. A round calls this function repeatedly. */
type Task = () => number | Promise<number>

/** The default export of a `rows/<name>.loop.ts`. */
export type Sides = Readonly<Record<string, Task>>

export interface Order {
  readonly module: string
  readonly side: string
}
