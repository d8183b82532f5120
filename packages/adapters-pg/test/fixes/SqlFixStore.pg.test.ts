import { fixStoreContract, fixStoreRulesContract, FixSubjects } from "@place-access/domain/testing"
import { Layer } from "effect"
import { runContractPg } from "../support/contracts.js"
import { UploadStores } from "../support/uploadStores.js"

runContractPg("SqlFixStore", fixStoreContract, FixSubjects.layer.pipe(Layer.provideMerge(UploadStores)))
runContractPg("SqlFixStore, with rules", fixStoreRulesContract, UploadStores)
