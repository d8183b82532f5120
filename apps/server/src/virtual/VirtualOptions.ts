/** The options of the command line for a server on virtual time. */
export interface VirtualOptions {
  /** Ids and secrets are derived from the seed; null: they are random. */
  readonly seed: string | null
  /** What the clock of a new world shows, in milliseconds; null: a fixed time with a seed, else the present. */
  readonly at: number | null
}
