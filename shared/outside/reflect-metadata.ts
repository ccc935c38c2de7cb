// @peculiar/x509 keeps its algorithms in a tsyringe container, whose decorators ask for the metadata of constructor
// parameters and refuse to load without an answer. None of those constructors has parameters: "there is none" is right.

const nothing = (): undefined => undefined

if (!('getMetadata' in Reflect)) {
  Object.assign(Reflect, { getMetadata: nothing, getOwnMetadata: nothing, defineMetadata: nothing })
}
