/** When an operation or a call took place. */
export interface Moment {
  readonly begin: number
  readonly end: number
  readonly beganAt: number
  readonly endedAt: number
}

/** A moment that the trace puts between two times. */
export interface Between {
  readonly earliest: number
  readonly latest: number
}

/** The times that the clock may have shown during an operation, during which the clock may have been set back. */
export const clockOf = ({ beganAt, endedAt }: Pick<Moment, "beganAt" | "endedAt">): Between => ({
  earliest: Math.min(beganAt, endedAt),
  latest: Math.max(beganAt, endedAt)
})
