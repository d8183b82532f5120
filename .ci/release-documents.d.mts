/** Copies the documents and `deploy` into the folder of a release. */
export const stageDocuments: (folder: string) => void
