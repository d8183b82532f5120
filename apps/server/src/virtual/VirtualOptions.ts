/** The options of the command line for a server on virtual time. */
export interface VirtualOptions {
  /** The seed from which ids and secrets are derived; null: they are random. */
  readonly seed: string | null
  /**
   * The time at which the clock of a new world begins, in milliseconds since 1970; null: a fixed time with a seed, else
   * the present.
   */
  readonly at: number | null
}
