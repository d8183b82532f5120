import { startRecorder } from "../../test/distribution/recorder.js"

/**
 * The statements that a program of the product sends to PostgreSQL, as it sends them: baselines run these and none that somebody
 * wrote down from memory. The program is pointed at a port of ours, which passes everything on and reads what goes by.
 */
export interface Statement {
  readonly text: string
  /** Parameters in their text form; null is null. */
  readonly values: ReadonlyArray<string | null>
}

export interface Recorder {
  /** DATABASE_URL for the program that is listened to. */
  readonly url: string
  /** What was sent while `use` ran, in order; transaction control is among it. */
  readonly during: (use: () => Promise<unknown>) => Promise<ReadonlyArray<Statement>>
  readonly close: () => Promise<void>
}

export const record = async (databaseUrl: string): Promise<Recorder> => {
  const { close, executed, url } = await startRecorder(databaseUrl)
  return {
    url,
    during: async (use) => {
      executed.length = 0
      await use()
      return executed.map(({ text, values }) => ({ text, values }))
    },
    close
  }
}
