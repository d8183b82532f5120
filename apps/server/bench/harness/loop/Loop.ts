/** Work without input or output, measured in a process of its own: nothing that the harness keeps or compiled is in its way. */

/** Does it once and says how many operations that was; a round calls it again and again. */
type Task = () => number | Promise<number>

/** What a `rows/<name>.loop.ts` exports by default. */
export type Sides = Readonly<Record<string, Task>>

export interface Order {
  readonly module: string
  readonly side: string
}
