import { fixStoreContract, fixStoreRulesContract, FixSubjects } from "@place-access/domain/testing"
import { Layer } from "effect"
import { runContract } from "../support/contracts.js"
import { UploadStores } from "../support/uploadStores.js"

runContract("SqlFixStore", fixStoreContract, FixSubjects.layer.pipe(Layer.provideMerge(UploadStores)))
runContract("SqlFixStore, with rules", fixStoreRulesContract, UploadStores)
