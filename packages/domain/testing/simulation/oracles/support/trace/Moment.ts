/** When an operation or a call took place: the entries and the times of its beginning and end. */
export interface Moment {
  readonly begin: number
  readonly end: number
  readonly beganAt: number
  readonly endedAt: number
}

/** A time that is not known exactly: it lies between `earliest` and `latest`, in milliseconds since 1970. */
export interface Between {
  readonly earliest: number
  readonly latest: number
}

/**
 * The times that the clock may have shown during an operation. If the clock was set back during the operation, the end
 * has the earlier time.
 */
export const clockOf = ({ beganAt, endedAt }: Pick<Moment, "beganAt" | "endedAt">): Between => ({
  earliest: Math.min(beganAt, endedAt),
  latest: Math.max(beganAt, endedAt)
})
