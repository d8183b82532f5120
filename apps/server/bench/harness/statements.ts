import { startRecorder } from "../../test/distribution/recorder.js"

// Records the statements that a program of the product sends to PostgreSQL, so that baselines run the same statements.
// The program connects to a port of the recorder, which reads the statements and forwards every byte to PostgreSQL.

export interface Statement {
  readonly text: string
  /** The parameters in their text form. The value null stays null. */
  readonly values: ReadonlyArray<string | null>
}

export interface Recorder {
  /** The DATABASE_URL for the program whose statements are recorded. */
  readonly url: string
  /**
   * The statements that the program sent while `use` ran, in order. Statements such as BEGIN and COMMIT are included.
   */
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
