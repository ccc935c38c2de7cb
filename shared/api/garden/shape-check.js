// Generated from shared/api/garden/ by `npm run generate`; not to be edited.
"use strict";
export const gardenFits = validate10;
const schema11 = {"type":"object","required":["metadata","spec"],"properties":{"metadata":{"type":"object","properties":{"name":{"type":"string"},"annotations":{"type":"object","additionalProperties":{"type":"string"}},"finalizers":{"type":"array","items":{"type":"string"}},"deletionTimestamp":{"type":"string"}}},"spec":{"type":"object","required":["runtimeCluster","virtualCluster"],"properties":{"runtimeCluster":{"type":"object","required":["ingress","networking","provider"],"properties":{"ingress":{"type":"object","required":["controller"],"properties":{"controller":{"type":"object","required":["kind"],"properties":{"kind":{"type":"string"},"providerConfig":{"type":"object"}}},"domains":{"type":"array","items":{"type":"object","required":["name"],"properties":{"name":{"type":"string"},"provider":{"type":"string"}}}},"domain":{"type":"string"}}},"networking":{"type":"object","required":["pods","services"],"properties":{"pods":{"type":"array","items":{"type":"string"}},"services":{"type":"array","items":{"type":"string"}},"ipFamilies":{"type":"array","items":{"type":"string"}},"nodes":{"type":"array","items":{"type":"string"}},"blockCIDRs":{"type":"array","items":{"type":"string"}}}},"provider":{"type":"object","properties":{"region":{"type":"string"},"zones":{"type":"array","items":{"type":"string"}}}},"settings":{"type":"object","properties":{"loadBalancerServices":{"type":"object","properties":{"annotations":{"type":"object","additionalProperties":{"type":"string"}},"externalTrafficPolicy":{"type":"string"},"proxyProtocol":{"type":"object","required":["allowed"],"properties":{"allowed":{"type":"boolean"}}}}},"verticalPodAutoscaler":{"type":"object","properties":{"enabled":{"type":"boolean"},"featureGates":{"type":"object","additionalProperties":{"type":"boolean"}},"maxAllowed":{"type":"object","additionalProperties":{"anyOf":[{"type":"integer"},{"type":"string"}]}}}},"topologyAwareRouting":{"type":"object","required":["enabled"],"properties":{"enabled":{"type":"boolean"}}},"persistentVolumeClaimAutoscaler":{"type":"object","required":["enabled"],"properties":{"enabled":{"type":"boolean"}}}}},"volume":{"type":"object","properties":{"minimumSize":{"anyOf":[{"type":"integer"},{"type":"string"}]}}}}},"virtualCluster":{"type":"object","required":["dns","gardener","kubernetes","maintenance","networking"],"properties":{"dns":{"type":"object","properties":{"domains":{"type":"array","items":{"type":"object","required":["name"],"properties":{"name":{"type":"string"},"provider":{"type":"string"}}}},"domain":{"type":"string"}}},"gardener":{"type":"object","required":["clusterIdentity"],"properties":{"clusterIdentity":{"type":"string"},"gardenerAPIServer":{"type":"object","properties":{"admissionPlugins":{"type":"array","items":{"type":"object","required":["name"],"properties":{"name":{"type":"string"},"config":{"type":"object"},"disabled":{"type":"boolean"},"kubeconfigSecretName":{"type":"string"}}}},"auditConfig":{"type":"object","properties":{"auditPolicy":{"type":"object","properties":{"configMapRef":{"type":"object","properties":{"apiVersion":{"type":"string"},"fieldPath":{"type":"string"},"kind":{"type":"string"},"name":{"type":"string"},"namespace":{"type":"string"},"resourceVersion":{"type":"string"},"uid":{"type":"string"}}}}}}},"auditWebhook":{"type":"object","required":["kubeconfigSecretName"],"properties":{"kubeconfigSecretName":{"type":"string"},"batchMaxSize":{"type":"integer"},"version":{"type":"string"}}},"encryptionConfig":{"type":"object","required":["provider"],"properties":{"provider":{"type":"object","properties":{"type":{"type":"string"}}},"resources":{"type":"array","items":{"type":"string"}}}},"featureGates":{"type":"object","additionalProperties":{"type":"boolean"}},"logging":{"type":"object","properties":{"verbosity":{"type":"integer"},"httpAccessVerbosity":{"type":"integer"}}},"requests":{"type":"object","properties":{"maxMutatingInflight":{"type":"integer"},"maxNonMutatingInflight":{"type":"integer"}}},"watchCacheSizes":{"type":"object","properties":{"default":{"type":"integer"},"resources":{"type":"array","items":{"type":"object","required":["resource","size"],"properties":{"resource":{"type":"string"},"size":{"type":"integer"},"apiGroup":{"type":"string"}}}}}},"goAwayChance":{"type":"number"},"shootAdminKubeconfigMaxExpiration":{"type":"string"}}},"gardenerAdmissionController":{"type":"object","properties":{"logLevel":{"type":"string"},"resourceAdmissionConfiguration":{"type":"object","required":["limits"],"properties":{"limits":{"type":"array","items":{"type":"object","required":["resources"],"properties":{"resources":{"type":"array","items":{"type":"string"}},"apiGroups":{"type":"array","items":{"type":"string"}},"apiVersions":{"type":"array","items":{"type":"string"}},"size":{"anyOf":[{"type":"integer"},{"type":"string"}]},"count":{"type":"integer"}}}},"operationMode":{"type":"string"},"unrestrictedSubjects":{"type":"array","items":{"type":"object","required":["kind","name"],"properties":{"kind":{"type":"string"},"name":{"type":"string"},"apiGroup":{"type":"string"},"namespace":{"type":"string"}}}}}}}},"gardenerControllerManager":{"type":"object","properties":{"logLevel":{"type":"string"},"featureGates":{"type":"object","additionalProperties":{"type":"boolean"}},"defaultProjectQuotas":{"type":"array","items":{"type":"object","required":["config"],"properties":{"config":{"type":"object"},"projectSelector":{"type":"object","properties":{"matchLabels":{"type":"object","additionalProperties":{"type":"string"}},"matchExpressions":{"type":"array","items":{"type":"object","required":["key","operator"],"properties":{"key":{"type":"string"},"operator":{"type":"string"},"values":{"type":"array","items":{"type":"string"}}}}}}}}}}}},"gardenerScheduler":{"type":"object","properties":{"logLevel":{"type":"string"},"featureGates":{"type":"object","additionalProperties":{"type":"boolean"}},"strategy":{"type":"string"}}},"gardenerDashboard":{"type":"object"},"gardenerDiscoveryServer":{"type":"object"},"gardenerResourceManager":{"type":"object"}}},"kubernetes":{"type":"object","required":["version"],"properties":{"version":{"type":"string"},"kubeAPIServer":{"type":"object","properties":{"admissionPlugins":{"type":"array","items":{"type":"object","required":["name"],"properties":{"name":{"type":"string"},"config":{"type":"object"},"disabled":{"type":"boolean"},"kubeconfigSecretName":{"type":"string"}}}},"auditConfig":{"type":"object","properties":{"auditPolicy":{"type":"object","properties":{"configMapRef":{"type":"object","properties":{"apiVersion":{"type":"string"},"fieldPath":{"type":"string"},"kind":{"type":"string"},"name":{"type":"string"},"namespace":{"type":"string"},"resourceVersion":{"type":"string"},"uid":{"type":"string"}}}}}}},"auditWebhook":{"type":"object","required":["kubeconfigSecretName"],"properties":{"kubeconfigSecretName":{"type":"string"},"batchMaxSize":{"type":"integer"},"version":{"type":"string"}}},"encryptionConfig":{"type":"object","required":["provider"],"properties":{"provider":{"type":"object","properties":{"type":{"type":"string"}}},"resources":{"type":"array","items":{"type":"string"}}}},"featureGates":{"type":"object","additionalProperties":{"type":"boolean"}},"logging":{"type":"object","properties":{"verbosity":{"type":"integer"},"httpAccessVerbosity":{"type":"integer"}}},"requests":{"type":"object","properties":{"maxMutatingInflight":{"type":"integer"},"maxNonMutatingInflight":{"type":"integer"}}},"watchCacheSizes":{"type":"object","properties":{"default":{"type":"integer"},"resources":{"type":"array","items":{"type":"object","required":["resource","size"],"properties":{"resource":{"type":"string"},"size":{"type":"integer"},"apiGroup":{"type":"string"}}}}}},"apiAudiences":{"type":"array","items":{"type":"string"}},"authentication":{"type":"object","properties":{"webhook":{"type":"object","required":["kubeconfigSecretName"],"properties":{"kubeconfigSecretName":{"type":"string"},"cacheTTL":{"type":"string"},"version":{"type":"string"}}}}},"autoscaling":{"type":"object","required":["minAllowed"],"properties":{"minAllowed":{"type":"object","additionalProperties":{"anyOf":[{"type":"integer"},{"type":"string"}]}}}},"defaultNotReadyTolerationSeconds":{"type":"integer"},"defaultUnreachableTolerationSeconds":{"type":"integer"},"enableAnonymousAuthentication":{"type":"boolean"},"eventTTL":{"type":"string"},"oidcConfig":{"type":"object","properties":{"caBundle":{"type":"string"},"clientID":{"type":"string"},"issuerURL":{"type":"string"},"usernameClaim":{"type":"string"},"usernamePrefix":{"type":"string"},"groupsClaim":{"type":"string"},"groupsPrefix":{"type":"string"},"signingAlgs":{"type":"array","items":{"type":"string"}},"requiredClaims":{"type":"object","additionalProperties":{"type":"string"}}}},"resourcesToStoreInETCDEvents":{"type":"array","items":{"type":"object","required":["group","resource"],"properties":{"group":{"type":"string"},"resource":{"type":"string"}}}},"runtimeConfig":{"type":"object","additionalProperties":{"type":"boolean"}},"serviceAccountConfig":{"type":"object","properties":{"issuer":{"type":"string"},"acceptedIssuers":{"type":"array","items":{"type":"string"}},"extendTokenExpiration":{"type":"boolean"},"maxTokenExpiration":{"type":"string"}}},"sni":{"type":"object","properties":{"secretName":{"type":"string"},"domainPatterns":{"type":"array","items":{"type":"string"}}}},"structuredAuthentication":{"type":"object","required":["configMapName"],"properties":{"configMapName":{"type":"string"}}},"structuredAuthorization":{"type":"object","required":["configMapName","kubeconfigs"],"properties":{"configMapName":{"type":"string"},"kubeconfigs":{"type":"array","items":{"type":"object","required":["authorizerName","secretName"],"properties":{"authorizerName":{"type":"string"},"secretName":{"type":"string"}}}}}},"tlsMinVersion":{"type":"string"}}},"kubeControllerManager":{"type":"object","properties":{"certificateSigningDuration":{"type":"string"},"featureGates":{"type":"object","additionalProperties":{"type":"boolean"}},"horizontalPodAutoscaler":{"type":"object"},"nodeCIDRMaskSize":{"type":"integer"},"nodeCIDRMaskSizeIPv6":{"type":"integer"},"nodeMonitorGracePeriod":{"type":"string"},"podEvictionTimeout":{"type":"string"}}}}},"maintenance":{"type":"object","required":["timeWindow"],"properties":{"timeWindow":{"type":"object","required":["begin","end"],"properties":{"begin":{"type":"string"},"end":{"type":"string"}}}}},"networking":{"type":"object","required":["services"],"properties":{"services":{"type":"array","items":{"type":"string"}}}},"etcd":{"type":"object","properties":{"main":{"type":"object","properties":{"storage":{"type":"object","properties":{"capacity":{"anyOf":[{"type":"integer"},{"type":"string"}]},"className":{"type":"string"}}},"autoscaling":{"type":"object","required":["minAllowed"],"properties":{"minAllowed":{"type":"object","additionalProperties":{"anyOf":[{"type":"integer"},{"type":"string"}]}}}},"backup":{"type":"object","required":["provider","secretRef"],"properties":{"provider":{"type":"string"},"secretRef":{"type":"object","properties":{"name":{"type":"string"}}},"bucketName":{"type":"string"},"region":{"type":"string"},"providerConfig":{"type":"object"}}}}},"events":{"type":"object","properties":{"storage":{"type":"object","properties":{"capacity":{"anyOf":[{"type":"integer"},{"type":"string"}]},"className":{"type":"string"}}},"autoscaling":{"type":"object","required":["minAllowed"],"properties":{"minAllowed":{"type":"object","additionalProperties":{"anyOf":[{"type":"integer"},{"type":"string"}]}}}}}}}},"controlPlane":{"type":"object","properties":{"highAvailability":{"type":"object","properties":{}}}}}},"dns":{"type":"object","required":["providers"],"properties":{"providers":{"type":"array","items":{"type":"object","required":["name","type","secretRef"],"properties":{"name":{"type":"string"},"type":{"type":"string"},"secretRef":{"type":"object","properties":{"name":{"type":"string"}}},"providerConfig":{"type":"object"}}}}}},"extensions":{"type":"array","items":{"type":"object","required":["type"],"properties":{"type":{"type":"string"},"providerConfig":{"type":"object"}}}},"resources":{"type":"array","items":{"type":"object","required":["name","resourceRef"],"properties":{"name":{"type":"string"},"resourceRef":{"type":"object","required":["kind","name"],"properties":{"kind":{"type":"string"},"name":{"type":"string"},"apiVersion":{"type":"string"}}}}}}}}}};

function validate10(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((data.metadata === undefined) && (missing0 = "metadata")) || ((data.spec === undefined) && (missing0 = "spec"))){
validate10.errors = [{instancePath,keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
if(data.metadata !== undefined){
let data0 = data.metadata;
const _errs1 = errors;
if(errors === _errs1){
if(data0 && typeof data0 == "object" && !Array.isArray(data0)){
if(data0.name !== undefined){
const _errs3 = errors;
if(typeof data0.name !== "string"){
validate10.errors = [{instancePath:instancePath+"/metadata/name",keyword:"type",params:{type: "string"}}];
return false;
}
var valid1 = _errs3 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data0.annotations !== undefined){
let data2 = data0.annotations;
const _errs5 = errors;
if(errors === _errs5){
if(data2 && typeof data2 == "object" && !Array.isArray(data2)){
for(const key0 in data2){
const _errs8 = errors;
if(typeof data2[key0] !== "string"){
validate10.errors = [{instancePath:instancePath+"/metadata/annotations/" + key0.replace(/~/g, "~0").replace(/\//g, "~1"),keyword:"type",params:{type: "string"}}];
return false;
}
var valid2 = _errs8 === errors;
if(!valid2){
break;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/metadata/annotations",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid1 = _errs5 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data0.finalizers !== undefined){
let data4 = data0.finalizers;
const _errs10 = errors;
if(errors === _errs10){
if(Array.isArray(data4)){
var valid3 = true;
const len0 = data4.length;
for(let i0=0; i0<len0; i0++){
const _errs12 = errors;
if(typeof data4[i0] !== "string"){
validate10.errors = [{instancePath:instancePath+"/metadata/finalizers/" + i0,keyword:"type",params:{type: "string"}}];
return false;
}
var valid3 = _errs12 === errors;
if(!valid3){
break;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/metadata/finalizers",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid1 = _errs10 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data0.deletionTimestamp !== undefined){
const _errs14 = errors;
if(typeof data0.deletionTimestamp !== "string"){
validate10.errors = [{instancePath:instancePath+"/metadata/deletionTimestamp",keyword:"type",params:{type: "string"}}];
return false;
}
var valid1 = _errs14 === errors;
}
else {
var valid1 = true;
}
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/metadata",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid0 = _errs1 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.spec !== undefined){
let data7 = data.spec;
const _errs16 = errors;
if(errors === _errs16){
if(data7 && typeof data7 == "object" && !Array.isArray(data7)){
let missing1;
if(((data7.runtimeCluster === undefined) && (missing1 = "runtimeCluster")) || ((data7.virtualCluster === undefined) && (missing1 = "virtualCluster"))){
validate10.errors = [{instancePath:instancePath+"/spec",keyword:"required",params:{missingProperty: missing1}}];
return false;
}
else {
if(data7.runtimeCluster !== undefined){
let data8 = data7.runtimeCluster;
const _errs18 = errors;
if(errors === _errs18){
if(data8 && typeof data8 == "object" && !Array.isArray(data8)){
let missing2;
if((((data8.ingress === undefined) && (missing2 = "ingress")) || ((data8.networking === undefined) && (missing2 = "networking"))) || ((data8.provider === undefined) && (missing2 = "provider"))){
validate10.errors = [{instancePath:instancePath+"/spec/runtimeCluster",keyword:"required",params:{missingProperty: missing2}}];
return false;
}
else {
if(data8.ingress !== undefined){
let data9 = data8.ingress;
const _errs20 = errors;
if(errors === _errs20){
if(data9 && typeof data9 == "object" && !Array.isArray(data9)){
let missing3;
if((data9.controller === undefined) && (missing3 = "controller")){
validate10.errors = [{instancePath:instancePath+"/spec/runtimeCluster/ingress",keyword:"required",params:{missingProperty: missing3}}];
return false;
}
else {
if(data9.controller !== undefined){
let data10 = data9.controller;
const _errs22 = errors;
if(errors === _errs22){
if(data10 && typeof data10 == "object" && !Array.isArray(data10)){
let missing4;
if((data10.kind === undefined) && (missing4 = "kind")){
validate10.errors = [{instancePath:instancePath+"/spec/runtimeCluster/ingress/controller",keyword:"required",params:{missingProperty: missing4}}];
return false;
}
else {
if(data10.kind !== undefined){
const _errs24 = errors;
if(typeof data10.kind !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/runtimeCluster/ingress/controller/kind",keyword:"type",params:{type: "string"}}];
return false;
}
var valid7 = _errs24 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data10.providerConfig !== undefined){
let data12 = data10.providerConfig;
const _errs26 = errors;
if(!(data12 && typeof data12 == "object" && !Array.isArray(data12))){
validate10.errors = [{instancePath:instancePath+"/spec/runtimeCluster/ingress/controller/providerConfig",keyword:"type",params:{type: "object"}}];
return false;
}
var valid7 = _errs26 === errors;
}
else {
var valid7 = true;
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/runtimeCluster/ingress/controller",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid6 = _errs22 === errors;
}
else {
var valid6 = true;
}
if(valid6){
if(data9.domains !== undefined){
let data13 = data9.domains;
const _errs28 = errors;
if(errors === _errs28){
if(Array.isArray(data13)){
var valid8 = true;
const len1 = data13.length;
for(let i1=0; i1<len1; i1++){
let data14 = data13[i1];
const _errs30 = errors;
if(errors === _errs30){
if(data14 && typeof data14 == "object" && !Array.isArray(data14)){
let missing5;
if((data14.name === undefined) && (missing5 = "name")){
validate10.errors = [{instancePath:instancePath+"/spec/runtimeCluster/ingress/domains/" + i1,keyword:"required",params:{missingProperty: missing5}}];
return false;
}
else {
if(data14.name !== undefined){
const _errs32 = errors;
if(typeof data14.name !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/runtimeCluster/ingress/domains/" + i1+"/name",keyword:"type",params:{type: "string"}}];
return false;
}
var valid9 = _errs32 === errors;
}
else {
var valid9 = true;
}
if(valid9){
if(data14.provider !== undefined){
const _errs34 = errors;
if(typeof data14.provider !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/runtimeCluster/ingress/domains/" + i1+"/provider",keyword:"type",params:{type: "string"}}];
return false;
}
var valid9 = _errs34 === errors;
}
else {
var valid9 = true;
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/runtimeCluster/ingress/domains/" + i1,keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid8 = _errs30 === errors;
if(!valid8){
break;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/runtimeCluster/ingress/domains",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid6 = _errs28 === errors;
}
else {
var valid6 = true;
}
if(valid6){
if(data9.domain !== undefined){
const _errs36 = errors;
if(typeof data9.domain !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/runtimeCluster/ingress/domain",keyword:"type",params:{type: "string"}}];
return false;
}
var valid6 = _errs36 === errors;
}
else {
var valid6 = true;
}
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/runtimeCluster/ingress",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid5 = _errs20 === errors;
}
else {
var valid5 = true;
}
if(valid5){
if(data8.networking !== undefined){
let data18 = data8.networking;
const _errs38 = errors;
if(errors === _errs38){
if(data18 && typeof data18 == "object" && !Array.isArray(data18)){
let missing6;
if(((data18.pods === undefined) && (missing6 = "pods")) || ((data18.services === undefined) && (missing6 = "services"))){
validate10.errors = [{instancePath:instancePath+"/spec/runtimeCluster/networking",keyword:"required",params:{missingProperty: missing6}}];
return false;
}
else {
if(data18.pods !== undefined){
let data19 = data18.pods;
const _errs40 = errors;
if(errors === _errs40){
if(Array.isArray(data19)){
var valid11 = true;
const len2 = data19.length;
for(let i2=0; i2<len2; i2++){
const _errs42 = errors;
if(typeof data19[i2] !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/runtimeCluster/networking/pods/" + i2,keyword:"type",params:{type: "string"}}];
return false;
}
var valid11 = _errs42 === errors;
if(!valid11){
break;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/runtimeCluster/networking/pods",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid10 = _errs40 === errors;
}
else {
var valid10 = true;
}
if(valid10){
if(data18.services !== undefined){
let data21 = data18.services;
const _errs44 = errors;
if(errors === _errs44){
if(Array.isArray(data21)){
var valid12 = true;
const len3 = data21.length;
for(let i3=0; i3<len3; i3++){
const _errs46 = errors;
if(typeof data21[i3] !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/runtimeCluster/networking/services/" + i3,keyword:"type",params:{type: "string"}}];
return false;
}
var valid12 = _errs46 === errors;
if(!valid12){
break;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/runtimeCluster/networking/services",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid10 = _errs44 === errors;
}
else {
var valid10 = true;
}
if(valid10){
if(data18.ipFamilies !== undefined){
let data23 = data18.ipFamilies;
const _errs48 = errors;
if(errors === _errs48){
if(Array.isArray(data23)){
var valid13 = true;
const len4 = data23.length;
for(let i4=0; i4<len4; i4++){
const _errs50 = errors;
if(typeof data23[i4] !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/runtimeCluster/networking/ipFamilies/" + i4,keyword:"type",params:{type: "string"}}];
return false;
}
var valid13 = _errs50 === errors;
if(!valid13){
break;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/runtimeCluster/networking/ipFamilies",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid10 = _errs48 === errors;
}
else {
var valid10 = true;
}
if(valid10){
if(data18.nodes !== undefined){
let data25 = data18.nodes;
const _errs52 = errors;
if(errors === _errs52){
if(Array.isArray(data25)){
var valid14 = true;
const len5 = data25.length;
for(let i5=0; i5<len5; i5++){
const _errs54 = errors;
if(typeof data25[i5] !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/runtimeCluster/networking/nodes/" + i5,keyword:"type",params:{type: "string"}}];
return false;
}
var valid14 = _errs54 === errors;
if(!valid14){
break;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/runtimeCluster/networking/nodes",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid10 = _errs52 === errors;
}
else {
var valid10 = true;
}
if(valid10){
if(data18.blockCIDRs !== undefined){
let data27 = data18.blockCIDRs;
const _errs56 = errors;
if(errors === _errs56){
if(Array.isArray(data27)){
var valid15 = true;
const len6 = data27.length;
for(let i6=0; i6<len6; i6++){
const _errs58 = errors;
if(typeof data27[i6] !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/runtimeCluster/networking/blockCIDRs/" + i6,keyword:"type",params:{type: "string"}}];
return false;
}
var valid15 = _errs58 === errors;
if(!valid15){
break;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/runtimeCluster/networking/blockCIDRs",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid10 = _errs56 === errors;
}
else {
var valid10 = true;
}
}
}
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/runtimeCluster/networking",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid5 = _errs38 === errors;
}
else {
var valid5 = true;
}
if(valid5){
if(data8.provider !== undefined){
let data29 = data8.provider;
const _errs60 = errors;
if(errors === _errs60){
if(data29 && typeof data29 == "object" && !Array.isArray(data29)){
if(data29.region !== undefined){
const _errs62 = errors;
if(typeof data29.region !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/runtimeCluster/provider/region",keyword:"type",params:{type: "string"}}];
return false;
}
var valid16 = _errs62 === errors;
}
else {
var valid16 = true;
}
if(valid16){
if(data29.zones !== undefined){
let data31 = data29.zones;
const _errs64 = errors;
if(errors === _errs64){
if(Array.isArray(data31)){
var valid17 = true;
const len7 = data31.length;
for(let i7=0; i7<len7; i7++){
const _errs66 = errors;
if(typeof data31[i7] !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/runtimeCluster/provider/zones/" + i7,keyword:"type",params:{type: "string"}}];
return false;
}
var valid17 = _errs66 === errors;
if(!valid17){
break;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/runtimeCluster/provider/zones",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid16 = _errs64 === errors;
}
else {
var valid16 = true;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/runtimeCluster/provider",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid5 = _errs60 === errors;
}
else {
var valid5 = true;
}
if(valid5){
if(data8.settings !== undefined){
let data33 = data8.settings;
const _errs68 = errors;
if(errors === _errs68){
if(data33 && typeof data33 == "object" && !Array.isArray(data33)){
if(data33.loadBalancerServices !== undefined){
let data34 = data33.loadBalancerServices;
const _errs70 = errors;
if(errors === _errs70){
if(data34 && typeof data34 == "object" && !Array.isArray(data34)){
if(data34.annotations !== undefined){
let data35 = data34.annotations;
const _errs72 = errors;
if(errors === _errs72){
if(data35 && typeof data35 == "object" && !Array.isArray(data35)){
for(const key1 in data35){
const _errs75 = errors;
if(typeof data35[key1] !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/runtimeCluster/settings/loadBalancerServices/annotations/" + key1.replace(/~/g, "~0").replace(/\//g, "~1"),keyword:"type",params:{type: "string"}}];
return false;
}
var valid20 = _errs75 === errors;
if(!valid20){
break;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/runtimeCluster/settings/loadBalancerServices/annotations",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid19 = _errs72 === errors;
}
else {
var valid19 = true;
}
if(valid19){
if(data34.externalTrafficPolicy !== undefined){
const _errs77 = errors;
if(typeof data34.externalTrafficPolicy !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/runtimeCluster/settings/loadBalancerServices/externalTrafficPolicy",keyword:"type",params:{type: "string"}}];
return false;
}
var valid19 = _errs77 === errors;
}
else {
var valid19 = true;
}
if(valid19){
if(data34.proxyProtocol !== undefined){
let data38 = data34.proxyProtocol;
const _errs79 = errors;
if(errors === _errs79){
if(data38 && typeof data38 == "object" && !Array.isArray(data38)){
let missing7;
if((data38.allowed === undefined) && (missing7 = "allowed")){
validate10.errors = [{instancePath:instancePath+"/spec/runtimeCluster/settings/loadBalancerServices/proxyProtocol",keyword:"required",params:{missingProperty: missing7}}];
return false;
}
else {
if(data38.allowed !== undefined){
if(typeof data38.allowed !== "boolean"){
validate10.errors = [{instancePath:instancePath+"/spec/runtimeCluster/settings/loadBalancerServices/proxyProtocol/allowed",keyword:"type",params:{type: "boolean"}}];
return false;
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/runtimeCluster/settings/loadBalancerServices/proxyProtocol",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid19 = _errs79 === errors;
}
else {
var valid19 = true;
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/runtimeCluster/settings/loadBalancerServices",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid18 = _errs70 === errors;
}
else {
var valid18 = true;
}
if(valid18){
if(data33.verticalPodAutoscaler !== undefined){
let data40 = data33.verticalPodAutoscaler;
const _errs83 = errors;
if(errors === _errs83){
if(data40 && typeof data40 == "object" && !Array.isArray(data40)){
if(data40.enabled !== undefined){
const _errs85 = errors;
if(typeof data40.enabled !== "boolean"){
validate10.errors = [{instancePath:instancePath+"/spec/runtimeCluster/settings/verticalPodAutoscaler/enabled",keyword:"type",params:{type: "boolean"}}];
return false;
}
var valid22 = _errs85 === errors;
}
else {
var valid22 = true;
}
if(valid22){
if(data40.featureGates !== undefined){
let data42 = data40.featureGates;
const _errs87 = errors;
if(errors === _errs87){
if(data42 && typeof data42 == "object" && !Array.isArray(data42)){
for(const key2 in data42){
const _errs90 = errors;
if(typeof data42[key2] !== "boolean"){
validate10.errors = [{instancePath:instancePath+"/spec/runtimeCluster/settings/verticalPodAutoscaler/featureGates/" + key2.replace(/~/g, "~0").replace(/\//g, "~1"),keyword:"type",params:{type: "boolean"}}];
return false;
}
var valid23 = _errs90 === errors;
if(!valid23){
break;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/runtimeCluster/settings/verticalPodAutoscaler/featureGates",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid22 = _errs87 === errors;
}
else {
var valid22 = true;
}
if(valid22){
if(data40.maxAllowed !== undefined){
let data44 = data40.maxAllowed;
const _errs92 = errors;
if(errors === _errs92){
if(data44 && typeof data44 == "object" && !Array.isArray(data44)){
for(const key3 in data44){
let data45 = data44[key3];
const _errs95 = errors;
const _errs96 = errors;
let valid25 = false;
const _errs97 = errors;
if(!((typeof data45 == "number") && (!(data45 % 1) && !isNaN(data45)))){
const err0 = {instancePath:instancePath+"/spec/runtimeCluster/settings/verticalPodAutoscaler/maxAllowed/" + key3.replace(/~/g, "~0").replace(/\//g, "~1"),keyword:"type",params:{type: "integer"}};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
var _valid0 = _errs97 === errors;
valid25 = valid25 || _valid0;
if(!valid25){
const _errs99 = errors;
if(typeof data45 !== "string"){
const err1 = {instancePath:instancePath+"/spec/runtimeCluster/settings/verticalPodAutoscaler/maxAllowed/" + key3.replace(/~/g, "~0").replace(/\//g, "~1"),keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
var _valid0 = _errs99 === errors;
valid25 = valid25 || _valid0;
}
if(!valid25){
const err2 = {instancePath:instancePath+"/spec/runtimeCluster/settings/verticalPodAutoscaler/maxAllowed/" + key3.replace(/~/g, "~0").replace(/\//g, "~1"),keyword:"anyOf",params:{}};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
validate10.errors = vErrors;
return false;
}
else {
errors = _errs96;
if(vErrors !== null){
if(_errs96){
vErrors.length = _errs96;
}
else {
vErrors = null;
}
}
}
var valid24 = _errs95 === errors;
if(!valid24){
break;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/runtimeCluster/settings/verticalPodAutoscaler/maxAllowed",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid22 = _errs92 === errors;
}
else {
var valid22 = true;
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/runtimeCluster/settings/verticalPodAutoscaler",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid18 = _errs83 === errors;
}
else {
var valid18 = true;
}
if(valid18){
if(data33.topologyAwareRouting !== undefined){
let data46 = data33.topologyAwareRouting;
const _errs101 = errors;
if(errors === _errs101){
if(data46 && typeof data46 == "object" && !Array.isArray(data46)){
let missing8;
if((data46.enabled === undefined) && (missing8 = "enabled")){
validate10.errors = [{instancePath:instancePath+"/spec/runtimeCluster/settings/topologyAwareRouting",keyword:"required",params:{missingProperty: missing8}}];
return false;
}
else {
if(data46.enabled !== undefined){
if(typeof data46.enabled !== "boolean"){
validate10.errors = [{instancePath:instancePath+"/spec/runtimeCluster/settings/topologyAwareRouting/enabled",keyword:"type",params:{type: "boolean"}}];
return false;
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/runtimeCluster/settings/topologyAwareRouting",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid18 = _errs101 === errors;
}
else {
var valid18 = true;
}
if(valid18){
if(data33.persistentVolumeClaimAutoscaler !== undefined){
let data48 = data33.persistentVolumeClaimAutoscaler;
const _errs105 = errors;
if(errors === _errs105){
if(data48 && typeof data48 == "object" && !Array.isArray(data48)){
let missing9;
if((data48.enabled === undefined) && (missing9 = "enabled")){
validate10.errors = [{instancePath:instancePath+"/spec/runtimeCluster/settings/persistentVolumeClaimAutoscaler",keyword:"required",params:{missingProperty: missing9}}];
return false;
}
else {
if(data48.enabled !== undefined){
if(typeof data48.enabled !== "boolean"){
validate10.errors = [{instancePath:instancePath+"/spec/runtimeCluster/settings/persistentVolumeClaimAutoscaler/enabled",keyword:"type",params:{type: "boolean"}}];
return false;
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/runtimeCluster/settings/persistentVolumeClaimAutoscaler",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid18 = _errs105 === errors;
}
else {
var valid18 = true;
}
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/runtimeCluster/settings",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid5 = _errs68 === errors;
}
else {
var valid5 = true;
}
if(valid5){
if(data8.volume !== undefined){
let data50 = data8.volume;
const _errs109 = errors;
if(errors === _errs109){
if(data50 && typeof data50 == "object" && !Array.isArray(data50)){
if(data50.minimumSize !== undefined){
let data51 = data50.minimumSize;
const _errs112 = errors;
let valid29 = false;
const _errs113 = errors;
if(!((typeof data51 == "number") && (!(data51 % 1) && !isNaN(data51)))){
const err3 = {instancePath:instancePath+"/spec/runtimeCluster/volume/minimumSize",keyword:"type",params:{type: "integer"}};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
var _valid1 = _errs113 === errors;
valid29 = valid29 || _valid1;
if(!valid29){
const _errs115 = errors;
if(typeof data51 !== "string"){
const err4 = {instancePath:instancePath+"/spec/runtimeCluster/volume/minimumSize",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
var _valid1 = _errs115 === errors;
valid29 = valid29 || _valid1;
}
if(!valid29){
const err5 = {instancePath:instancePath+"/spec/runtimeCluster/volume/minimumSize",keyword:"anyOf",params:{}};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
validate10.errors = vErrors;
return false;
}
else {
errors = _errs112;
if(vErrors !== null){
if(_errs112){
vErrors.length = _errs112;
}
else {
vErrors = null;
}
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/runtimeCluster/volume",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid5 = _errs109 === errors;
}
else {
var valid5 = true;
}
}
}
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/runtimeCluster",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid4 = _errs18 === errors;
}
else {
var valid4 = true;
}
if(valid4){
if(data7.virtualCluster !== undefined){
let data52 = data7.virtualCluster;
const _errs117 = errors;
if(errors === _errs117){
if(data52 && typeof data52 == "object" && !Array.isArray(data52)){
let missing10;
if((((((data52.dns === undefined) && (missing10 = "dns")) || ((data52.gardener === undefined) && (missing10 = "gardener"))) || ((data52.kubernetes === undefined) && (missing10 = "kubernetes"))) || ((data52.maintenance === undefined) && (missing10 = "maintenance"))) || ((data52.networking === undefined) && (missing10 = "networking"))){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster",keyword:"required",params:{missingProperty: missing10}}];
return false;
}
else {
if(data52.dns !== undefined){
let data53 = data52.dns;
const _errs119 = errors;
if(errors === _errs119){
if(data53 && typeof data53 == "object" && !Array.isArray(data53)){
if(data53.domains !== undefined){
let data54 = data53.domains;
const _errs121 = errors;
if(errors === _errs121){
if(Array.isArray(data54)){
var valid32 = true;
const len8 = data54.length;
for(let i8=0; i8<len8; i8++){
let data55 = data54[i8];
const _errs123 = errors;
if(errors === _errs123){
if(data55 && typeof data55 == "object" && !Array.isArray(data55)){
let missing11;
if((data55.name === undefined) && (missing11 = "name")){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/dns/domains/" + i8,keyword:"required",params:{missingProperty: missing11}}];
return false;
}
else {
if(data55.name !== undefined){
const _errs125 = errors;
if(typeof data55.name !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/dns/domains/" + i8+"/name",keyword:"type",params:{type: "string"}}];
return false;
}
var valid33 = _errs125 === errors;
}
else {
var valid33 = true;
}
if(valid33){
if(data55.provider !== undefined){
const _errs127 = errors;
if(typeof data55.provider !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/dns/domains/" + i8+"/provider",keyword:"type",params:{type: "string"}}];
return false;
}
var valid33 = _errs127 === errors;
}
else {
var valid33 = true;
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/dns/domains/" + i8,keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid32 = _errs123 === errors;
if(!valid32){
break;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/dns/domains",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid31 = _errs121 === errors;
}
else {
var valid31 = true;
}
if(valid31){
if(data53.domain !== undefined){
const _errs129 = errors;
if(typeof data53.domain !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/dns/domain",keyword:"type",params:{type: "string"}}];
return false;
}
var valid31 = _errs129 === errors;
}
else {
var valid31 = true;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/dns",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid30 = _errs119 === errors;
}
else {
var valid30 = true;
}
if(valid30){
if(data52.gardener !== undefined){
let data59 = data52.gardener;
const _errs131 = errors;
if(errors === _errs131){
if(data59 && typeof data59 == "object" && !Array.isArray(data59)){
let missing12;
if((data59.clusterIdentity === undefined) && (missing12 = "clusterIdentity")){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener",keyword:"required",params:{missingProperty: missing12}}];
return false;
}
else {
if(data59.clusterIdentity !== undefined){
const _errs133 = errors;
if(typeof data59.clusterIdentity !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/clusterIdentity",keyword:"type",params:{type: "string"}}];
return false;
}
var valid34 = _errs133 === errors;
}
else {
var valid34 = true;
}
if(valid34){
if(data59.gardenerAPIServer !== undefined){
let data61 = data59.gardenerAPIServer;
const _errs135 = errors;
if(errors === _errs135){
if(data61 && typeof data61 == "object" && !Array.isArray(data61)){
if(data61.admissionPlugins !== undefined){
let data62 = data61.admissionPlugins;
const _errs137 = errors;
if(errors === _errs137){
if(Array.isArray(data62)){
var valid36 = true;
const len9 = data62.length;
for(let i9=0; i9<len9; i9++){
let data63 = data62[i9];
const _errs139 = errors;
if(errors === _errs139){
if(data63 && typeof data63 == "object" && !Array.isArray(data63)){
let missing13;
if((data63.name === undefined) && (missing13 = "name")){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerAPIServer/admissionPlugins/" + i9,keyword:"required",params:{missingProperty: missing13}}];
return false;
}
else {
if(data63.name !== undefined){
const _errs141 = errors;
if(typeof data63.name !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerAPIServer/admissionPlugins/" + i9+"/name",keyword:"type",params:{type: "string"}}];
return false;
}
var valid37 = _errs141 === errors;
}
else {
var valid37 = true;
}
if(valid37){
if(data63.config !== undefined){
let data65 = data63.config;
const _errs143 = errors;
if(!(data65 && typeof data65 == "object" && !Array.isArray(data65))){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerAPIServer/admissionPlugins/" + i9+"/config",keyword:"type",params:{type: "object"}}];
return false;
}
var valid37 = _errs143 === errors;
}
else {
var valid37 = true;
}
if(valid37){
if(data63.disabled !== undefined){
const _errs145 = errors;
if(typeof data63.disabled !== "boolean"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerAPIServer/admissionPlugins/" + i9+"/disabled",keyword:"type",params:{type: "boolean"}}];
return false;
}
var valid37 = _errs145 === errors;
}
else {
var valid37 = true;
}
if(valid37){
if(data63.kubeconfigSecretName !== undefined){
const _errs147 = errors;
if(typeof data63.kubeconfigSecretName !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerAPIServer/admissionPlugins/" + i9+"/kubeconfigSecretName",keyword:"type",params:{type: "string"}}];
return false;
}
var valid37 = _errs147 === errors;
}
else {
var valid37 = true;
}
}
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerAPIServer/admissionPlugins/" + i9,keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid36 = _errs139 === errors;
if(!valid36){
break;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerAPIServer/admissionPlugins",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid35 = _errs137 === errors;
}
else {
var valid35 = true;
}
if(valid35){
if(data61.auditConfig !== undefined){
let data68 = data61.auditConfig;
const _errs149 = errors;
if(errors === _errs149){
if(data68 && typeof data68 == "object" && !Array.isArray(data68)){
if(data68.auditPolicy !== undefined){
let data69 = data68.auditPolicy;
const _errs151 = errors;
if(errors === _errs151){
if(data69 && typeof data69 == "object" && !Array.isArray(data69)){
if(data69.configMapRef !== undefined){
let data70 = data69.configMapRef;
const _errs153 = errors;
if(errors === _errs153){
if(data70 && typeof data70 == "object" && !Array.isArray(data70)){
if(data70.apiVersion !== undefined){
const _errs155 = errors;
if(typeof data70.apiVersion !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerAPIServer/auditConfig/auditPolicy/configMapRef/apiVersion",keyword:"type",params:{type: "string"}}];
return false;
}
var valid40 = _errs155 === errors;
}
else {
var valid40 = true;
}
if(valid40){
if(data70.fieldPath !== undefined){
const _errs157 = errors;
if(typeof data70.fieldPath !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerAPIServer/auditConfig/auditPolicy/configMapRef/fieldPath",keyword:"type",params:{type: "string"}}];
return false;
}
var valid40 = _errs157 === errors;
}
else {
var valid40 = true;
}
if(valid40){
if(data70.kind !== undefined){
const _errs159 = errors;
if(typeof data70.kind !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerAPIServer/auditConfig/auditPolicy/configMapRef/kind",keyword:"type",params:{type: "string"}}];
return false;
}
var valid40 = _errs159 === errors;
}
else {
var valid40 = true;
}
if(valid40){
if(data70.name !== undefined){
const _errs161 = errors;
if(typeof data70.name !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerAPIServer/auditConfig/auditPolicy/configMapRef/name",keyword:"type",params:{type: "string"}}];
return false;
}
var valid40 = _errs161 === errors;
}
else {
var valid40 = true;
}
if(valid40){
if(data70.namespace !== undefined){
const _errs163 = errors;
if(typeof data70.namespace !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerAPIServer/auditConfig/auditPolicy/configMapRef/namespace",keyword:"type",params:{type: "string"}}];
return false;
}
var valid40 = _errs163 === errors;
}
else {
var valid40 = true;
}
if(valid40){
if(data70.resourceVersion !== undefined){
const _errs165 = errors;
if(typeof data70.resourceVersion !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerAPIServer/auditConfig/auditPolicy/configMapRef/resourceVersion",keyword:"type",params:{type: "string"}}];
return false;
}
var valid40 = _errs165 === errors;
}
else {
var valid40 = true;
}
if(valid40){
if(data70.uid !== undefined){
const _errs167 = errors;
if(typeof data70.uid !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerAPIServer/auditConfig/auditPolicy/configMapRef/uid",keyword:"type",params:{type: "string"}}];
return false;
}
var valid40 = _errs167 === errors;
}
else {
var valid40 = true;
}
}
}
}
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerAPIServer/auditConfig/auditPolicy/configMapRef",keyword:"type",params:{type: "object"}}];
return false;
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerAPIServer/auditConfig/auditPolicy",keyword:"type",params:{type: "object"}}];
return false;
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerAPIServer/auditConfig",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid35 = _errs149 === errors;
}
else {
var valid35 = true;
}
if(valid35){
if(data61.auditWebhook !== undefined){
let data78 = data61.auditWebhook;
const _errs169 = errors;
if(errors === _errs169){
if(data78 && typeof data78 == "object" && !Array.isArray(data78)){
let missing14;
if((data78.kubeconfigSecretName === undefined) && (missing14 = "kubeconfigSecretName")){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerAPIServer/auditWebhook",keyword:"required",params:{missingProperty: missing14}}];
return false;
}
else {
if(data78.kubeconfigSecretName !== undefined){
const _errs171 = errors;
if(typeof data78.kubeconfigSecretName !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerAPIServer/auditWebhook/kubeconfigSecretName",keyword:"type",params:{type: "string"}}];
return false;
}
var valid41 = _errs171 === errors;
}
else {
var valid41 = true;
}
if(valid41){
if(data78.batchMaxSize !== undefined){
let data80 = data78.batchMaxSize;
const _errs173 = errors;
if(!((typeof data80 == "number") && (!(data80 % 1) && !isNaN(data80)))){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerAPIServer/auditWebhook/batchMaxSize",keyword:"type",params:{type: "integer"}}];
return false;
}
var valid41 = _errs173 === errors;
}
else {
var valid41 = true;
}
if(valid41){
if(data78.version !== undefined){
const _errs175 = errors;
if(typeof data78.version !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerAPIServer/auditWebhook/version",keyword:"type",params:{type: "string"}}];
return false;
}
var valid41 = _errs175 === errors;
}
else {
var valid41 = true;
}
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerAPIServer/auditWebhook",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid35 = _errs169 === errors;
}
else {
var valid35 = true;
}
if(valid35){
if(data61.encryptionConfig !== undefined){
let data82 = data61.encryptionConfig;
const _errs177 = errors;
if(errors === _errs177){
if(data82 && typeof data82 == "object" && !Array.isArray(data82)){
let missing15;
if((data82.provider === undefined) && (missing15 = "provider")){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerAPIServer/encryptionConfig",keyword:"required",params:{missingProperty: missing15}}];
return false;
}
else {
if(data82.provider !== undefined){
let data83 = data82.provider;
const _errs179 = errors;
if(errors === _errs179){
if(data83 && typeof data83 == "object" && !Array.isArray(data83)){
if(data83.type !== undefined){
if(typeof data83.type !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerAPIServer/encryptionConfig/provider/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerAPIServer/encryptionConfig/provider",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid42 = _errs179 === errors;
}
else {
var valid42 = true;
}
if(valid42){
if(data82.resources !== undefined){
let data85 = data82.resources;
const _errs183 = errors;
if(errors === _errs183){
if(Array.isArray(data85)){
var valid44 = true;
const len10 = data85.length;
for(let i10=0; i10<len10; i10++){
const _errs185 = errors;
if(typeof data85[i10] !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerAPIServer/encryptionConfig/resources/" + i10,keyword:"type",params:{type: "string"}}];
return false;
}
var valid44 = _errs185 === errors;
if(!valid44){
break;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerAPIServer/encryptionConfig/resources",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid42 = _errs183 === errors;
}
else {
var valid42 = true;
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerAPIServer/encryptionConfig",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid35 = _errs177 === errors;
}
else {
var valid35 = true;
}
if(valid35){
if(data61.featureGates !== undefined){
let data87 = data61.featureGates;
const _errs187 = errors;
if(errors === _errs187){
if(data87 && typeof data87 == "object" && !Array.isArray(data87)){
for(const key4 in data87){
const _errs190 = errors;
if(typeof data87[key4] !== "boolean"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerAPIServer/featureGates/" + key4.replace(/~/g, "~0").replace(/\//g, "~1"),keyword:"type",params:{type: "boolean"}}];
return false;
}
var valid45 = _errs190 === errors;
if(!valid45){
break;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerAPIServer/featureGates",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid35 = _errs187 === errors;
}
else {
var valid35 = true;
}
if(valid35){
if(data61.logging !== undefined){
let data89 = data61.logging;
const _errs192 = errors;
if(errors === _errs192){
if(data89 && typeof data89 == "object" && !Array.isArray(data89)){
if(data89.verbosity !== undefined){
let data90 = data89.verbosity;
const _errs194 = errors;
if(!((typeof data90 == "number") && (!(data90 % 1) && !isNaN(data90)))){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerAPIServer/logging/verbosity",keyword:"type",params:{type: "integer"}}];
return false;
}
var valid46 = _errs194 === errors;
}
else {
var valid46 = true;
}
if(valid46){
if(data89.httpAccessVerbosity !== undefined){
let data91 = data89.httpAccessVerbosity;
const _errs196 = errors;
if(!((typeof data91 == "number") && (!(data91 % 1) && !isNaN(data91)))){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerAPIServer/logging/httpAccessVerbosity",keyword:"type",params:{type: "integer"}}];
return false;
}
var valid46 = _errs196 === errors;
}
else {
var valid46 = true;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerAPIServer/logging",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid35 = _errs192 === errors;
}
else {
var valid35 = true;
}
if(valid35){
if(data61.requests !== undefined){
let data92 = data61.requests;
const _errs198 = errors;
if(errors === _errs198){
if(data92 && typeof data92 == "object" && !Array.isArray(data92)){
if(data92.maxMutatingInflight !== undefined){
let data93 = data92.maxMutatingInflight;
const _errs200 = errors;
if(!((typeof data93 == "number") && (!(data93 % 1) && !isNaN(data93)))){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerAPIServer/requests/maxMutatingInflight",keyword:"type",params:{type: "integer"}}];
return false;
}
var valid47 = _errs200 === errors;
}
else {
var valid47 = true;
}
if(valid47){
if(data92.maxNonMutatingInflight !== undefined){
let data94 = data92.maxNonMutatingInflight;
const _errs202 = errors;
if(!((typeof data94 == "number") && (!(data94 % 1) && !isNaN(data94)))){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerAPIServer/requests/maxNonMutatingInflight",keyword:"type",params:{type: "integer"}}];
return false;
}
var valid47 = _errs202 === errors;
}
else {
var valid47 = true;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerAPIServer/requests",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid35 = _errs198 === errors;
}
else {
var valid35 = true;
}
if(valid35){
if(data61.watchCacheSizes !== undefined){
let data95 = data61.watchCacheSizes;
const _errs204 = errors;
if(errors === _errs204){
if(data95 && typeof data95 == "object" && !Array.isArray(data95)){
if(data95.default !== undefined){
let data96 = data95.default;
const _errs206 = errors;
if(!((typeof data96 == "number") && (!(data96 % 1) && !isNaN(data96)))){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerAPIServer/watchCacheSizes/default",keyword:"type",params:{type: "integer"}}];
return false;
}
var valid48 = _errs206 === errors;
}
else {
var valid48 = true;
}
if(valid48){
if(data95.resources !== undefined){
let data97 = data95.resources;
const _errs208 = errors;
if(errors === _errs208){
if(Array.isArray(data97)){
var valid49 = true;
const len11 = data97.length;
for(let i11=0; i11<len11; i11++){
let data98 = data97[i11];
const _errs210 = errors;
if(errors === _errs210){
if(data98 && typeof data98 == "object" && !Array.isArray(data98)){
let missing16;
if(((data98.resource === undefined) && (missing16 = "resource")) || ((data98.size === undefined) && (missing16 = "size"))){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerAPIServer/watchCacheSizes/resources/" + i11,keyword:"required",params:{missingProperty: missing16}}];
return false;
}
else {
if(data98.resource !== undefined){
const _errs212 = errors;
if(typeof data98.resource !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerAPIServer/watchCacheSizes/resources/" + i11+"/resource",keyword:"type",params:{type: "string"}}];
return false;
}
var valid50 = _errs212 === errors;
}
else {
var valid50 = true;
}
if(valid50){
if(data98.size !== undefined){
let data100 = data98.size;
const _errs214 = errors;
if(!((typeof data100 == "number") && (!(data100 % 1) && !isNaN(data100)))){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerAPIServer/watchCacheSizes/resources/" + i11+"/size",keyword:"type",params:{type: "integer"}}];
return false;
}
var valid50 = _errs214 === errors;
}
else {
var valid50 = true;
}
if(valid50){
if(data98.apiGroup !== undefined){
const _errs216 = errors;
if(typeof data98.apiGroup !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerAPIServer/watchCacheSizes/resources/" + i11+"/apiGroup",keyword:"type",params:{type: "string"}}];
return false;
}
var valid50 = _errs216 === errors;
}
else {
var valid50 = true;
}
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerAPIServer/watchCacheSizes/resources/" + i11,keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid49 = _errs210 === errors;
if(!valid49){
break;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerAPIServer/watchCacheSizes/resources",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid48 = _errs208 === errors;
}
else {
var valid48 = true;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerAPIServer/watchCacheSizes",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid35 = _errs204 === errors;
}
else {
var valid35 = true;
}
if(valid35){
if(data61.goAwayChance !== undefined){
const _errs218 = errors;
if(!(typeof data61.goAwayChance == "number")){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerAPIServer/goAwayChance",keyword:"type",params:{type: "number"}}];
return false;
}
var valid35 = _errs218 === errors;
}
else {
var valid35 = true;
}
if(valid35){
if(data61.shootAdminKubeconfigMaxExpiration !== undefined){
const _errs220 = errors;
if(typeof data61.shootAdminKubeconfigMaxExpiration !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerAPIServer/shootAdminKubeconfigMaxExpiration",keyword:"type",params:{type: "string"}}];
return false;
}
var valid35 = _errs220 === errors;
}
else {
var valid35 = true;
}
}
}
}
}
}
}
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerAPIServer",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid34 = _errs135 === errors;
}
else {
var valid34 = true;
}
if(valid34){
if(data59.gardenerAdmissionController !== undefined){
let data104 = data59.gardenerAdmissionController;
const _errs222 = errors;
if(errors === _errs222){
if(data104 && typeof data104 == "object" && !Array.isArray(data104)){
if(data104.logLevel !== undefined){
const _errs224 = errors;
if(typeof data104.logLevel !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerAdmissionController/logLevel",keyword:"type",params:{type: "string"}}];
return false;
}
var valid51 = _errs224 === errors;
}
else {
var valid51 = true;
}
if(valid51){
if(data104.resourceAdmissionConfiguration !== undefined){
let data106 = data104.resourceAdmissionConfiguration;
const _errs226 = errors;
if(errors === _errs226){
if(data106 && typeof data106 == "object" && !Array.isArray(data106)){
let missing17;
if((data106.limits === undefined) && (missing17 = "limits")){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerAdmissionController/resourceAdmissionConfiguration",keyword:"required",params:{missingProperty: missing17}}];
return false;
}
else {
if(data106.limits !== undefined){
let data107 = data106.limits;
const _errs228 = errors;
if(errors === _errs228){
if(Array.isArray(data107)){
var valid53 = true;
const len12 = data107.length;
for(let i12=0; i12<len12; i12++){
let data108 = data107[i12];
const _errs230 = errors;
if(errors === _errs230){
if(data108 && typeof data108 == "object" && !Array.isArray(data108)){
let missing18;
if((data108.resources === undefined) && (missing18 = "resources")){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerAdmissionController/resourceAdmissionConfiguration/limits/" + i12,keyword:"required",params:{missingProperty: missing18}}];
return false;
}
else {
if(data108.resources !== undefined){
let data109 = data108.resources;
const _errs232 = errors;
if(errors === _errs232){
if(Array.isArray(data109)){
var valid55 = true;
const len13 = data109.length;
for(let i13=0; i13<len13; i13++){
const _errs234 = errors;
if(typeof data109[i13] !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerAdmissionController/resourceAdmissionConfiguration/limits/" + i12+"/resources/" + i13,keyword:"type",params:{type: "string"}}];
return false;
}
var valid55 = _errs234 === errors;
if(!valid55){
break;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerAdmissionController/resourceAdmissionConfiguration/limits/" + i12+"/resources",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid54 = _errs232 === errors;
}
else {
var valid54 = true;
}
if(valid54){
if(data108.apiGroups !== undefined){
let data111 = data108.apiGroups;
const _errs236 = errors;
if(errors === _errs236){
if(Array.isArray(data111)){
var valid56 = true;
const len14 = data111.length;
for(let i14=0; i14<len14; i14++){
const _errs238 = errors;
if(typeof data111[i14] !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerAdmissionController/resourceAdmissionConfiguration/limits/" + i12+"/apiGroups/" + i14,keyword:"type",params:{type: "string"}}];
return false;
}
var valid56 = _errs238 === errors;
if(!valid56){
break;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerAdmissionController/resourceAdmissionConfiguration/limits/" + i12+"/apiGroups",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid54 = _errs236 === errors;
}
else {
var valid54 = true;
}
if(valid54){
if(data108.apiVersions !== undefined){
let data113 = data108.apiVersions;
const _errs240 = errors;
if(errors === _errs240){
if(Array.isArray(data113)){
var valid57 = true;
const len15 = data113.length;
for(let i15=0; i15<len15; i15++){
const _errs242 = errors;
if(typeof data113[i15] !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerAdmissionController/resourceAdmissionConfiguration/limits/" + i12+"/apiVersions/" + i15,keyword:"type",params:{type: "string"}}];
return false;
}
var valid57 = _errs242 === errors;
if(!valid57){
break;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerAdmissionController/resourceAdmissionConfiguration/limits/" + i12+"/apiVersions",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid54 = _errs240 === errors;
}
else {
var valid54 = true;
}
if(valid54){
if(data108.size !== undefined){
let data115 = data108.size;
const _errs244 = errors;
const _errs245 = errors;
let valid58 = false;
const _errs246 = errors;
if(!((typeof data115 == "number") && (!(data115 % 1) && !isNaN(data115)))){
const err6 = {instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerAdmissionController/resourceAdmissionConfiguration/limits/" + i12+"/size",keyword:"type",params:{type: "integer"}};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
}
var _valid2 = _errs246 === errors;
valid58 = valid58 || _valid2;
if(!valid58){
const _errs248 = errors;
if(typeof data115 !== "string"){
const err7 = {instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerAdmissionController/resourceAdmissionConfiguration/limits/" + i12+"/size",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err7];
}
else {
vErrors.push(err7);
}
errors++;
}
var _valid2 = _errs248 === errors;
valid58 = valid58 || _valid2;
}
if(!valid58){
const err8 = {instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerAdmissionController/resourceAdmissionConfiguration/limits/" + i12+"/size",keyword:"anyOf",params:{}};
if(vErrors === null){
vErrors = [err8];
}
else {
vErrors.push(err8);
}
errors++;
validate10.errors = vErrors;
return false;
}
else {
errors = _errs245;
if(vErrors !== null){
if(_errs245){
vErrors.length = _errs245;
}
else {
vErrors = null;
}
}
}
var valid54 = _errs244 === errors;
}
else {
var valid54 = true;
}
if(valid54){
if(data108.count !== undefined){
let data116 = data108.count;
const _errs250 = errors;
if(!((typeof data116 == "number") && (!(data116 % 1) && !isNaN(data116)))){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerAdmissionController/resourceAdmissionConfiguration/limits/" + i12+"/count",keyword:"type",params:{type: "integer"}}];
return false;
}
var valid54 = _errs250 === errors;
}
else {
var valid54 = true;
}
}
}
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerAdmissionController/resourceAdmissionConfiguration/limits/" + i12,keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid53 = _errs230 === errors;
if(!valid53){
break;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerAdmissionController/resourceAdmissionConfiguration/limits",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid52 = _errs228 === errors;
}
else {
var valid52 = true;
}
if(valid52){
if(data106.operationMode !== undefined){
const _errs252 = errors;
if(typeof data106.operationMode !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerAdmissionController/resourceAdmissionConfiguration/operationMode",keyword:"type",params:{type: "string"}}];
return false;
}
var valid52 = _errs252 === errors;
}
else {
var valid52 = true;
}
if(valid52){
if(data106.unrestrictedSubjects !== undefined){
let data118 = data106.unrestrictedSubjects;
const _errs254 = errors;
if(errors === _errs254){
if(Array.isArray(data118)){
var valid59 = true;
const len16 = data118.length;
for(let i16=0; i16<len16; i16++){
let data119 = data118[i16];
const _errs256 = errors;
if(errors === _errs256){
if(data119 && typeof data119 == "object" && !Array.isArray(data119)){
let missing19;
if(((data119.kind === undefined) && (missing19 = "kind")) || ((data119.name === undefined) && (missing19 = "name"))){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerAdmissionController/resourceAdmissionConfiguration/unrestrictedSubjects/" + i16,keyword:"required",params:{missingProperty: missing19}}];
return false;
}
else {
if(data119.kind !== undefined){
const _errs258 = errors;
if(typeof data119.kind !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerAdmissionController/resourceAdmissionConfiguration/unrestrictedSubjects/" + i16+"/kind",keyword:"type",params:{type: "string"}}];
return false;
}
var valid60 = _errs258 === errors;
}
else {
var valid60 = true;
}
if(valid60){
if(data119.name !== undefined){
const _errs260 = errors;
if(typeof data119.name !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerAdmissionController/resourceAdmissionConfiguration/unrestrictedSubjects/" + i16+"/name",keyword:"type",params:{type: "string"}}];
return false;
}
var valid60 = _errs260 === errors;
}
else {
var valid60 = true;
}
if(valid60){
if(data119.apiGroup !== undefined){
const _errs262 = errors;
if(typeof data119.apiGroup !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerAdmissionController/resourceAdmissionConfiguration/unrestrictedSubjects/" + i16+"/apiGroup",keyword:"type",params:{type: "string"}}];
return false;
}
var valid60 = _errs262 === errors;
}
else {
var valid60 = true;
}
if(valid60){
if(data119.namespace !== undefined){
const _errs264 = errors;
if(typeof data119.namespace !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerAdmissionController/resourceAdmissionConfiguration/unrestrictedSubjects/" + i16+"/namespace",keyword:"type",params:{type: "string"}}];
return false;
}
var valid60 = _errs264 === errors;
}
else {
var valid60 = true;
}
}
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerAdmissionController/resourceAdmissionConfiguration/unrestrictedSubjects/" + i16,keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid59 = _errs256 === errors;
if(!valid59){
break;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerAdmissionController/resourceAdmissionConfiguration/unrestrictedSubjects",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid52 = _errs254 === errors;
}
else {
var valid52 = true;
}
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerAdmissionController/resourceAdmissionConfiguration",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid51 = _errs226 === errors;
}
else {
var valid51 = true;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerAdmissionController",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid34 = _errs222 === errors;
}
else {
var valid34 = true;
}
if(valid34){
if(data59.gardenerControllerManager !== undefined){
let data124 = data59.gardenerControllerManager;
const _errs266 = errors;
if(errors === _errs266){
if(data124 && typeof data124 == "object" && !Array.isArray(data124)){
if(data124.logLevel !== undefined){
const _errs268 = errors;
if(typeof data124.logLevel !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerControllerManager/logLevel",keyword:"type",params:{type: "string"}}];
return false;
}
var valid61 = _errs268 === errors;
}
else {
var valid61 = true;
}
if(valid61){
if(data124.featureGates !== undefined){
let data126 = data124.featureGates;
const _errs270 = errors;
if(errors === _errs270){
if(data126 && typeof data126 == "object" && !Array.isArray(data126)){
for(const key5 in data126){
const _errs273 = errors;
if(typeof data126[key5] !== "boolean"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerControllerManager/featureGates/" + key5.replace(/~/g, "~0").replace(/\//g, "~1"),keyword:"type",params:{type: "boolean"}}];
return false;
}
var valid62 = _errs273 === errors;
if(!valid62){
break;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerControllerManager/featureGates",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid61 = _errs270 === errors;
}
else {
var valid61 = true;
}
if(valid61){
if(data124.defaultProjectQuotas !== undefined){
let data128 = data124.defaultProjectQuotas;
const _errs275 = errors;
if(errors === _errs275){
if(Array.isArray(data128)){
var valid63 = true;
const len17 = data128.length;
for(let i17=0; i17<len17; i17++){
let data129 = data128[i17];
const _errs277 = errors;
if(errors === _errs277){
if(data129 && typeof data129 == "object" && !Array.isArray(data129)){
let missing20;
if((data129.config === undefined) && (missing20 = "config")){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerControllerManager/defaultProjectQuotas/" + i17,keyword:"required",params:{missingProperty: missing20}}];
return false;
}
else {
if(data129.config !== undefined){
let data130 = data129.config;
const _errs279 = errors;
if(!(data130 && typeof data130 == "object" && !Array.isArray(data130))){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerControllerManager/defaultProjectQuotas/" + i17+"/config",keyword:"type",params:{type: "object"}}];
return false;
}
var valid64 = _errs279 === errors;
}
else {
var valid64 = true;
}
if(valid64){
if(data129.projectSelector !== undefined){
let data131 = data129.projectSelector;
const _errs281 = errors;
if(errors === _errs281){
if(data131 && typeof data131 == "object" && !Array.isArray(data131)){
if(data131.matchLabels !== undefined){
let data132 = data131.matchLabels;
const _errs283 = errors;
if(errors === _errs283){
if(data132 && typeof data132 == "object" && !Array.isArray(data132)){
for(const key6 in data132){
const _errs286 = errors;
if(typeof data132[key6] !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerControllerManager/defaultProjectQuotas/" + i17+"/projectSelector/matchLabels/" + key6.replace(/~/g, "~0").replace(/\//g, "~1"),keyword:"type",params:{type: "string"}}];
return false;
}
var valid66 = _errs286 === errors;
if(!valid66){
break;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerControllerManager/defaultProjectQuotas/" + i17+"/projectSelector/matchLabels",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid65 = _errs283 === errors;
}
else {
var valid65 = true;
}
if(valid65){
if(data131.matchExpressions !== undefined){
let data134 = data131.matchExpressions;
const _errs288 = errors;
if(errors === _errs288){
if(Array.isArray(data134)){
var valid67 = true;
const len18 = data134.length;
for(let i18=0; i18<len18; i18++){
let data135 = data134[i18];
const _errs290 = errors;
if(errors === _errs290){
if(data135 && typeof data135 == "object" && !Array.isArray(data135)){
let missing21;
if(((data135.key === undefined) && (missing21 = "key")) || ((data135.operator === undefined) && (missing21 = "operator"))){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerControllerManager/defaultProjectQuotas/" + i17+"/projectSelector/matchExpressions/" + i18,keyword:"required",params:{missingProperty: missing21}}];
return false;
}
else {
if(data135.key !== undefined){
const _errs292 = errors;
if(typeof data135.key !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerControllerManager/defaultProjectQuotas/" + i17+"/projectSelector/matchExpressions/" + i18+"/key",keyword:"type",params:{type: "string"}}];
return false;
}
var valid68 = _errs292 === errors;
}
else {
var valid68 = true;
}
if(valid68){
if(data135.operator !== undefined){
const _errs294 = errors;
if(typeof data135.operator !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerControllerManager/defaultProjectQuotas/" + i17+"/projectSelector/matchExpressions/" + i18+"/operator",keyword:"type",params:{type: "string"}}];
return false;
}
var valid68 = _errs294 === errors;
}
else {
var valid68 = true;
}
if(valid68){
if(data135.values !== undefined){
let data138 = data135.values;
const _errs296 = errors;
if(errors === _errs296){
if(Array.isArray(data138)){
var valid69 = true;
const len19 = data138.length;
for(let i19=0; i19<len19; i19++){
const _errs298 = errors;
if(typeof data138[i19] !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerControllerManager/defaultProjectQuotas/" + i17+"/projectSelector/matchExpressions/" + i18+"/values/" + i19,keyword:"type",params:{type: "string"}}];
return false;
}
var valid69 = _errs298 === errors;
if(!valid69){
break;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerControllerManager/defaultProjectQuotas/" + i17+"/projectSelector/matchExpressions/" + i18+"/values",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid68 = _errs296 === errors;
}
else {
var valid68 = true;
}
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerControllerManager/defaultProjectQuotas/" + i17+"/projectSelector/matchExpressions/" + i18,keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid67 = _errs290 === errors;
if(!valid67){
break;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerControllerManager/defaultProjectQuotas/" + i17+"/projectSelector/matchExpressions",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid65 = _errs288 === errors;
}
else {
var valid65 = true;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerControllerManager/defaultProjectQuotas/" + i17+"/projectSelector",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid64 = _errs281 === errors;
}
else {
var valid64 = true;
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerControllerManager/defaultProjectQuotas/" + i17,keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid63 = _errs277 === errors;
if(!valid63){
break;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerControllerManager/defaultProjectQuotas",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid61 = _errs275 === errors;
}
else {
var valid61 = true;
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerControllerManager",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid34 = _errs266 === errors;
}
else {
var valid34 = true;
}
if(valid34){
if(data59.gardenerScheduler !== undefined){
let data140 = data59.gardenerScheduler;
const _errs300 = errors;
if(errors === _errs300){
if(data140 && typeof data140 == "object" && !Array.isArray(data140)){
if(data140.logLevel !== undefined){
const _errs302 = errors;
if(typeof data140.logLevel !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerScheduler/logLevel",keyword:"type",params:{type: "string"}}];
return false;
}
var valid70 = _errs302 === errors;
}
else {
var valid70 = true;
}
if(valid70){
if(data140.featureGates !== undefined){
let data142 = data140.featureGates;
const _errs304 = errors;
if(errors === _errs304){
if(data142 && typeof data142 == "object" && !Array.isArray(data142)){
for(const key7 in data142){
const _errs307 = errors;
if(typeof data142[key7] !== "boolean"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerScheduler/featureGates/" + key7.replace(/~/g, "~0").replace(/\//g, "~1"),keyword:"type",params:{type: "boolean"}}];
return false;
}
var valid71 = _errs307 === errors;
if(!valid71){
break;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerScheduler/featureGates",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid70 = _errs304 === errors;
}
else {
var valid70 = true;
}
if(valid70){
if(data140.strategy !== undefined){
const _errs309 = errors;
if(typeof data140.strategy !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerScheduler/strategy",keyword:"type",params:{type: "string"}}];
return false;
}
var valid70 = _errs309 === errors;
}
else {
var valid70 = true;
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerScheduler",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid34 = _errs300 === errors;
}
else {
var valid34 = true;
}
if(valid34){
if(data59.gardenerDashboard !== undefined){
let data145 = data59.gardenerDashboard;
const _errs311 = errors;
if(!(data145 && typeof data145 == "object" && !Array.isArray(data145))){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerDashboard",keyword:"type",params:{type: "object"}}];
return false;
}
var valid34 = _errs311 === errors;
}
else {
var valid34 = true;
}
if(valid34){
if(data59.gardenerDiscoveryServer !== undefined){
let data146 = data59.gardenerDiscoveryServer;
const _errs313 = errors;
if(!(data146 && typeof data146 == "object" && !Array.isArray(data146))){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerDiscoveryServer",keyword:"type",params:{type: "object"}}];
return false;
}
var valid34 = _errs313 === errors;
}
else {
var valid34 = true;
}
if(valid34){
if(data59.gardenerResourceManager !== undefined){
let data147 = data59.gardenerResourceManager;
const _errs315 = errors;
if(!(data147 && typeof data147 == "object" && !Array.isArray(data147))){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener/gardenerResourceManager",keyword:"type",params:{type: "object"}}];
return false;
}
var valid34 = _errs315 === errors;
}
else {
var valid34 = true;
}
}
}
}
}
}
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/gardener",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid30 = _errs131 === errors;
}
else {
var valid30 = true;
}
if(valid30){
if(data52.kubernetes !== undefined){
let data148 = data52.kubernetes;
const _errs317 = errors;
if(errors === _errs317){
if(data148 && typeof data148 == "object" && !Array.isArray(data148)){
let missing22;
if((data148.version === undefined) && (missing22 = "version")){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes",keyword:"required",params:{missingProperty: missing22}}];
return false;
}
else {
if(data148.version !== undefined){
const _errs319 = errors;
if(typeof data148.version !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/version",keyword:"type",params:{type: "string"}}];
return false;
}
var valid72 = _errs319 === errors;
}
else {
var valid72 = true;
}
if(valid72){
if(data148.kubeAPIServer !== undefined){
let data150 = data148.kubeAPIServer;
const _errs321 = errors;
if(errors === _errs321){
if(data150 && typeof data150 == "object" && !Array.isArray(data150)){
if(data150.admissionPlugins !== undefined){
let data151 = data150.admissionPlugins;
const _errs323 = errors;
if(errors === _errs323){
if(Array.isArray(data151)){
var valid74 = true;
const len20 = data151.length;
for(let i20=0; i20<len20; i20++){
let data152 = data151[i20];
const _errs325 = errors;
if(errors === _errs325){
if(data152 && typeof data152 == "object" && !Array.isArray(data152)){
let missing23;
if((data152.name === undefined) && (missing23 = "name")){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/admissionPlugins/" + i20,keyword:"required",params:{missingProperty: missing23}}];
return false;
}
else {
if(data152.name !== undefined){
const _errs327 = errors;
if(typeof data152.name !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/admissionPlugins/" + i20+"/name",keyword:"type",params:{type: "string"}}];
return false;
}
var valid75 = _errs327 === errors;
}
else {
var valid75 = true;
}
if(valid75){
if(data152.config !== undefined){
let data154 = data152.config;
const _errs329 = errors;
if(!(data154 && typeof data154 == "object" && !Array.isArray(data154))){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/admissionPlugins/" + i20+"/config",keyword:"type",params:{type: "object"}}];
return false;
}
var valid75 = _errs329 === errors;
}
else {
var valid75 = true;
}
if(valid75){
if(data152.disabled !== undefined){
const _errs331 = errors;
if(typeof data152.disabled !== "boolean"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/admissionPlugins/" + i20+"/disabled",keyword:"type",params:{type: "boolean"}}];
return false;
}
var valid75 = _errs331 === errors;
}
else {
var valid75 = true;
}
if(valid75){
if(data152.kubeconfigSecretName !== undefined){
const _errs333 = errors;
if(typeof data152.kubeconfigSecretName !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/admissionPlugins/" + i20+"/kubeconfigSecretName",keyword:"type",params:{type: "string"}}];
return false;
}
var valid75 = _errs333 === errors;
}
else {
var valid75 = true;
}
}
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/admissionPlugins/" + i20,keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid74 = _errs325 === errors;
if(!valid74){
break;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/admissionPlugins",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid73 = _errs323 === errors;
}
else {
var valid73 = true;
}
if(valid73){
if(data150.auditConfig !== undefined){
let data157 = data150.auditConfig;
const _errs335 = errors;
if(errors === _errs335){
if(data157 && typeof data157 == "object" && !Array.isArray(data157)){
if(data157.auditPolicy !== undefined){
let data158 = data157.auditPolicy;
const _errs337 = errors;
if(errors === _errs337){
if(data158 && typeof data158 == "object" && !Array.isArray(data158)){
if(data158.configMapRef !== undefined){
let data159 = data158.configMapRef;
const _errs339 = errors;
if(errors === _errs339){
if(data159 && typeof data159 == "object" && !Array.isArray(data159)){
if(data159.apiVersion !== undefined){
const _errs341 = errors;
if(typeof data159.apiVersion !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/auditConfig/auditPolicy/configMapRef/apiVersion",keyword:"type",params:{type: "string"}}];
return false;
}
var valid78 = _errs341 === errors;
}
else {
var valid78 = true;
}
if(valid78){
if(data159.fieldPath !== undefined){
const _errs343 = errors;
if(typeof data159.fieldPath !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/auditConfig/auditPolicy/configMapRef/fieldPath",keyword:"type",params:{type: "string"}}];
return false;
}
var valid78 = _errs343 === errors;
}
else {
var valid78 = true;
}
if(valid78){
if(data159.kind !== undefined){
const _errs345 = errors;
if(typeof data159.kind !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/auditConfig/auditPolicy/configMapRef/kind",keyword:"type",params:{type: "string"}}];
return false;
}
var valid78 = _errs345 === errors;
}
else {
var valid78 = true;
}
if(valid78){
if(data159.name !== undefined){
const _errs347 = errors;
if(typeof data159.name !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/auditConfig/auditPolicy/configMapRef/name",keyword:"type",params:{type: "string"}}];
return false;
}
var valid78 = _errs347 === errors;
}
else {
var valid78 = true;
}
if(valid78){
if(data159.namespace !== undefined){
const _errs349 = errors;
if(typeof data159.namespace !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/auditConfig/auditPolicy/configMapRef/namespace",keyword:"type",params:{type: "string"}}];
return false;
}
var valid78 = _errs349 === errors;
}
else {
var valid78 = true;
}
if(valid78){
if(data159.resourceVersion !== undefined){
const _errs351 = errors;
if(typeof data159.resourceVersion !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/auditConfig/auditPolicy/configMapRef/resourceVersion",keyword:"type",params:{type: "string"}}];
return false;
}
var valid78 = _errs351 === errors;
}
else {
var valid78 = true;
}
if(valid78){
if(data159.uid !== undefined){
const _errs353 = errors;
if(typeof data159.uid !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/auditConfig/auditPolicy/configMapRef/uid",keyword:"type",params:{type: "string"}}];
return false;
}
var valid78 = _errs353 === errors;
}
else {
var valid78 = true;
}
}
}
}
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/auditConfig/auditPolicy/configMapRef",keyword:"type",params:{type: "object"}}];
return false;
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/auditConfig/auditPolicy",keyword:"type",params:{type: "object"}}];
return false;
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/auditConfig",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid73 = _errs335 === errors;
}
else {
var valid73 = true;
}
if(valid73){
if(data150.auditWebhook !== undefined){
let data167 = data150.auditWebhook;
const _errs355 = errors;
if(errors === _errs355){
if(data167 && typeof data167 == "object" && !Array.isArray(data167)){
let missing24;
if((data167.kubeconfigSecretName === undefined) && (missing24 = "kubeconfigSecretName")){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/auditWebhook",keyword:"required",params:{missingProperty: missing24}}];
return false;
}
else {
if(data167.kubeconfigSecretName !== undefined){
const _errs357 = errors;
if(typeof data167.kubeconfigSecretName !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/auditWebhook/kubeconfigSecretName",keyword:"type",params:{type: "string"}}];
return false;
}
var valid79 = _errs357 === errors;
}
else {
var valid79 = true;
}
if(valid79){
if(data167.batchMaxSize !== undefined){
let data169 = data167.batchMaxSize;
const _errs359 = errors;
if(!((typeof data169 == "number") && (!(data169 % 1) && !isNaN(data169)))){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/auditWebhook/batchMaxSize",keyword:"type",params:{type: "integer"}}];
return false;
}
var valid79 = _errs359 === errors;
}
else {
var valid79 = true;
}
if(valid79){
if(data167.version !== undefined){
const _errs361 = errors;
if(typeof data167.version !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/auditWebhook/version",keyword:"type",params:{type: "string"}}];
return false;
}
var valid79 = _errs361 === errors;
}
else {
var valid79 = true;
}
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/auditWebhook",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid73 = _errs355 === errors;
}
else {
var valid73 = true;
}
if(valid73){
if(data150.encryptionConfig !== undefined){
let data171 = data150.encryptionConfig;
const _errs363 = errors;
if(errors === _errs363){
if(data171 && typeof data171 == "object" && !Array.isArray(data171)){
let missing25;
if((data171.provider === undefined) && (missing25 = "provider")){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/encryptionConfig",keyword:"required",params:{missingProperty: missing25}}];
return false;
}
else {
if(data171.provider !== undefined){
let data172 = data171.provider;
const _errs365 = errors;
if(errors === _errs365){
if(data172 && typeof data172 == "object" && !Array.isArray(data172)){
if(data172.type !== undefined){
if(typeof data172.type !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/encryptionConfig/provider/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/encryptionConfig/provider",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid80 = _errs365 === errors;
}
else {
var valid80 = true;
}
if(valid80){
if(data171.resources !== undefined){
let data174 = data171.resources;
const _errs369 = errors;
if(errors === _errs369){
if(Array.isArray(data174)){
var valid82 = true;
const len21 = data174.length;
for(let i21=0; i21<len21; i21++){
const _errs371 = errors;
if(typeof data174[i21] !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/encryptionConfig/resources/" + i21,keyword:"type",params:{type: "string"}}];
return false;
}
var valid82 = _errs371 === errors;
if(!valid82){
break;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/encryptionConfig/resources",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid80 = _errs369 === errors;
}
else {
var valid80 = true;
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/encryptionConfig",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid73 = _errs363 === errors;
}
else {
var valid73 = true;
}
if(valid73){
if(data150.featureGates !== undefined){
let data176 = data150.featureGates;
const _errs373 = errors;
if(errors === _errs373){
if(data176 && typeof data176 == "object" && !Array.isArray(data176)){
for(const key8 in data176){
const _errs376 = errors;
if(typeof data176[key8] !== "boolean"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/featureGates/" + key8.replace(/~/g, "~0").replace(/\//g, "~1"),keyword:"type",params:{type: "boolean"}}];
return false;
}
var valid83 = _errs376 === errors;
if(!valid83){
break;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/featureGates",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid73 = _errs373 === errors;
}
else {
var valid73 = true;
}
if(valid73){
if(data150.logging !== undefined){
let data178 = data150.logging;
const _errs378 = errors;
if(errors === _errs378){
if(data178 && typeof data178 == "object" && !Array.isArray(data178)){
if(data178.verbosity !== undefined){
let data179 = data178.verbosity;
const _errs380 = errors;
if(!((typeof data179 == "number") && (!(data179 % 1) && !isNaN(data179)))){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/logging/verbosity",keyword:"type",params:{type: "integer"}}];
return false;
}
var valid84 = _errs380 === errors;
}
else {
var valid84 = true;
}
if(valid84){
if(data178.httpAccessVerbosity !== undefined){
let data180 = data178.httpAccessVerbosity;
const _errs382 = errors;
if(!((typeof data180 == "number") && (!(data180 % 1) && !isNaN(data180)))){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/logging/httpAccessVerbosity",keyword:"type",params:{type: "integer"}}];
return false;
}
var valid84 = _errs382 === errors;
}
else {
var valid84 = true;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/logging",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid73 = _errs378 === errors;
}
else {
var valid73 = true;
}
if(valid73){
if(data150.requests !== undefined){
let data181 = data150.requests;
const _errs384 = errors;
if(errors === _errs384){
if(data181 && typeof data181 == "object" && !Array.isArray(data181)){
if(data181.maxMutatingInflight !== undefined){
let data182 = data181.maxMutatingInflight;
const _errs386 = errors;
if(!((typeof data182 == "number") && (!(data182 % 1) && !isNaN(data182)))){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/requests/maxMutatingInflight",keyword:"type",params:{type: "integer"}}];
return false;
}
var valid85 = _errs386 === errors;
}
else {
var valid85 = true;
}
if(valid85){
if(data181.maxNonMutatingInflight !== undefined){
let data183 = data181.maxNonMutatingInflight;
const _errs388 = errors;
if(!((typeof data183 == "number") && (!(data183 % 1) && !isNaN(data183)))){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/requests/maxNonMutatingInflight",keyword:"type",params:{type: "integer"}}];
return false;
}
var valid85 = _errs388 === errors;
}
else {
var valid85 = true;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/requests",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid73 = _errs384 === errors;
}
else {
var valid73 = true;
}
if(valid73){
if(data150.watchCacheSizes !== undefined){
let data184 = data150.watchCacheSizes;
const _errs390 = errors;
if(errors === _errs390){
if(data184 && typeof data184 == "object" && !Array.isArray(data184)){
if(data184.default !== undefined){
let data185 = data184.default;
const _errs392 = errors;
if(!((typeof data185 == "number") && (!(data185 % 1) && !isNaN(data185)))){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/watchCacheSizes/default",keyword:"type",params:{type: "integer"}}];
return false;
}
var valid86 = _errs392 === errors;
}
else {
var valid86 = true;
}
if(valid86){
if(data184.resources !== undefined){
let data186 = data184.resources;
const _errs394 = errors;
if(errors === _errs394){
if(Array.isArray(data186)){
var valid87 = true;
const len22 = data186.length;
for(let i22=0; i22<len22; i22++){
let data187 = data186[i22];
const _errs396 = errors;
if(errors === _errs396){
if(data187 && typeof data187 == "object" && !Array.isArray(data187)){
let missing26;
if(((data187.resource === undefined) && (missing26 = "resource")) || ((data187.size === undefined) && (missing26 = "size"))){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/watchCacheSizes/resources/" + i22,keyword:"required",params:{missingProperty: missing26}}];
return false;
}
else {
if(data187.resource !== undefined){
const _errs398 = errors;
if(typeof data187.resource !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/watchCacheSizes/resources/" + i22+"/resource",keyword:"type",params:{type: "string"}}];
return false;
}
var valid88 = _errs398 === errors;
}
else {
var valid88 = true;
}
if(valid88){
if(data187.size !== undefined){
let data189 = data187.size;
const _errs400 = errors;
if(!((typeof data189 == "number") && (!(data189 % 1) && !isNaN(data189)))){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/watchCacheSizes/resources/" + i22+"/size",keyword:"type",params:{type: "integer"}}];
return false;
}
var valid88 = _errs400 === errors;
}
else {
var valid88 = true;
}
if(valid88){
if(data187.apiGroup !== undefined){
const _errs402 = errors;
if(typeof data187.apiGroup !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/watchCacheSizes/resources/" + i22+"/apiGroup",keyword:"type",params:{type: "string"}}];
return false;
}
var valid88 = _errs402 === errors;
}
else {
var valid88 = true;
}
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/watchCacheSizes/resources/" + i22,keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid87 = _errs396 === errors;
if(!valid87){
break;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/watchCacheSizes/resources",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid86 = _errs394 === errors;
}
else {
var valid86 = true;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/watchCacheSizes",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid73 = _errs390 === errors;
}
else {
var valid73 = true;
}
if(valid73){
if(data150.apiAudiences !== undefined){
let data191 = data150.apiAudiences;
const _errs404 = errors;
if(errors === _errs404){
if(Array.isArray(data191)){
var valid89 = true;
const len23 = data191.length;
for(let i23=0; i23<len23; i23++){
const _errs406 = errors;
if(typeof data191[i23] !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/apiAudiences/" + i23,keyword:"type",params:{type: "string"}}];
return false;
}
var valid89 = _errs406 === errors;
if(!valid89){
break;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/apiAudiences",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid73 = _errs404 === errors;
}
else {
var valid73 = true;
}
if(valid73){
if(data150.authentication !== undefined){
let data193 = data150.authentication;
const _errs408 = errors;
if(errors === _errs408){
if(data193 && typeof data193 == "object" && !Array.isArray(data193)){
if(data193.webhook !== undefined){
let data194 = data193.webhook;
const _errs410 = errors;
if(errors === _errs410){
if(data194 && typeof data194 == "object" && !Array.isArray(data194)){
let missing27;
if((data194.kubeconfigSecretName === undefined) && (missing27 = "kubeconfigSecretName")){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/authentication/webhook",keyword:"required",params:{missingProperty: missing27}}];
return false;
}
else {
if(data194.kubeconfigSecretName !== undefined){
const _errs412 = errors;
if(typeof data194.kubeconfigSecretName !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/authentication/webhook/kubeconfigSecretName",keyword:"type",params:{type: "string"}}];
return false;
}
var valid91 = _errs412 === errors;
}
else {
var valid91 = true;
}
if(valid91){
if(data194.cacheTTL !== undefined){
const _errs414 = errors;
if(typeof data194.cacheTTL !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/authentication/webhook/cacheTTL",keyword:"type",params:{type: "string"}}];
return false;
}
var valid91 = _errs414 === errors;
}
else {
var valid91 = true;
}
if(valid91){
if(data194.version !== undefined){
const _errs416 = errors;
if(typeof data194.version !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/authentication/webhook/version",keyword:"type",params:{type: "string"}}];
return false;
}
var valid91 = _errs416 === errors;
}
else {
var valid91 = true;
}
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/authentication/webhook",keyword:"type",params:{type: "object"}}];
return false;
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/authentication",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid73 = _errs408 === errors;
}
else {
var valid73 = true;
}
if(valid73){
if(data150.autoscaling !== undefined){
let data198 = data150.autoscaling;
const _errs418 = errors;
if(errors === _errs418){
if(data198 && typeof data198 == "object" && !Array.isArray(data198)){
let missing28;
if((data198.minAllowed === undefined) && (missing28 = "minAllowed")){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/autoscaling",keyword:"required",params:{missingProperty: missing28}}];
return false;
}
else {
if(data198.minAllowed !== undefined){
let data199 = data198.minAllowed;
const _errs420 = errors;
if(errors === _errs420){
if(data199 && typeof data199 == "object" && !Array.isArray(data199)){
for(const key9 in data199){
let data200 = data199[key9];
const _errs423 = errors;
const _errs424 = errors;
let valid94 = false;
const _errs425 = errors;
if(!((typeof data200 == "number") && (!(data200 % 1) && !isNaN(data200)))){
const err9 = {instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/autoscaling/minAllowed/" + key9.replace(/~/g, "~0").replace(/\//g, "~1"),keyword:"type",params:{type: "integer"}};
if(vErrors === null){
vErrors = [err9];
}
else {
vErrors.push(err9);
}
errors++;
}
var _valid3 = _errs425 === errors;
valid94 = valid94 || _valid3;
if(!valid94){
const _errs427 = errors;
if(typeof data200 !== "string"){
const err10 = {instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/autoscaling/minAllowed/" + key9.replace(/~/g, "~0").replace(/\//g, "~1"),keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err10];
}
else {
vErrors.push(err10);
}
errors++;
}
var _valid3 = _errs427 === errors;
valid94 = valid94 || _valid3;
}
if(!valid94){
const err11 = {instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/autoscaling/minAllowed/" + key9.replace(/~/g, "~0").replace(/\//g, "~1"),keyword:"anyOf",params:{}};
if(vErrors === null){
vErrors = [err11];
}
else {
vErrors.push(err11);
}
errors++;
validate10.errors = vErrors;
return false;
}
else {
errors = _errs424;
if(vErrors !== null){
if(_errs424){
vErrors.length = _errs424;
}
else {
vErrors = null;
}
}
}
var valid93 = _errs423 === errors;
if(!valid93){
break;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/autoscaling/minAllowed",keyword:"type",params:{type: "object"}}];
return false;
}
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/autoscaling",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid73 = _errs418 === errors;
}
else {
var valid73 = true;
}
if(valid73){
if(data150.defaultNotReadyTolerationSeconds !== undefined){
let data201 = data150.defaultNotReadyTolerationSeconds;
const _errs429 = errors;
if(!((typeof data201 == "number") && (!(data201 % 1) && !isNaN(data201)))){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/defaultNotReadyTolerationSeconds",keyword:"type",params:{type: "integer"}}];
return false;
}
var valid73 = _errs429 === errors;
}
else {
var valid73 = true;
}
if(valid73){
if(data150.defaultUnreachableTolerationSeconds !== undefined){
let data202 = data150.defaultUnreachableTolerationSeconds;
const _errs431 = errors;
if(!((typeof data202 == "number") && (!(data202 % 1) && !isNaN(data202)))){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/defaultUnreachableTolerationSeconds",keyword:"type",params:{type: "integer"}}];
return false;
}
var valid73 = _errs431 === errors;
}
else {
var valid73 = true;
}
if(valid73){
if(data150.enableAnonymousAuthentication !== undefined){
const _errs433 = errors;
if(typeof data150.enableAnonymousAuthentication !== "boolean"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/enableAnonymousAuthentication",keyword:"type",params:{type: "boolean"}}];
return false;
}
var valid73 = _errs433 === errors;
}
else {
var valid73 = true;
}
if(valid73){
if(data150.eventTTL !== undefined){
const _errs435 = errors;
if(typeof data150.eventTTL !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/eventTTL",keyword:"type",params:{type: "string"}}];
return false;
}
var valid73 = _errs435 === errors;
}
else {
var valid73 = true;
}
if(valid73){
if(data150.oidcConfig !== undefined){
let data205 = data150.oidcConfig;
const _errs437 = errors;
if(errors === _errs437){
if(data205 && typeof data205 == "object" && !Array.isArray(data205)){
if(data205.caBundle !== undefined){
const _errs439 = errors;
if(typeof data205.caBundle !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/oidcConfig/caBundle",keyword:"type",params:{type: "string"}}];
return false;
}
var valid95 = _errs439 === errors;
}
else {
var valid95 = true;
}
if(valid95){
if(data205.clientID !== undefined){
const _errs441 = errors;
if(typeof data205.clientID !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/oidcConfig/clientID",keyword:"type",params:{type: "string"}}];
return false;
}
var valid95 = _errs441 === errors;
}
else {
var valid95 = true;
}
if(valid95){
if(data205.issuerURL !== undefined){
const _errs443 = errors;
if(typeof data205.issuerURL !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/oidcConfig/issuerURL",keyword:"type",params:{type: "string"}}];
return false;
}
var valid95 = _errs443 === errors;
}
else {
var valid95 = true;
}
if(valid95){
if(data205.usernameClaim !== undefined){
const _errs445 = errors;
if(typeof data205.usernameClaim !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/oidcConfig/usernameClaim",keyword:"type",params:{type: "string"}}];
return false;
}
var valid95 = _errs445 === errors;
}
else {
var valid95 = true;
}
if(valid95){
if(data205.usernamePrefix !== undefined){
const _errs447 = errors;
if(typeof data205.usernamePrefix !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/oidcConfig/usernamePrefix",keyword:"type",params:{type: "string"}}];
return false;
}
var valid95 = _errs447 === errors;
}
else {
var valid95 = true;
}
if(valid95){
if(data205.groupsClaim !== undefined){
const _errs449 = errors;
if(typeof data205.groupsClaim !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/oidcConfig/groupsClaim",keyword:"type",params:{type: "string"}}];
return false;
}
var valid95 = _errs449 === errors;
}
else {
var valid95 = true;
}
if(valid95){
if(data205.groupsPrefix !== undefined){
const _errs451 = errors;
if(typeof data205.groupsPrefix !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/oidcConfig/groupsPrefix",keyword:"type",params:{type: "string"}}];
return false;
}
var valid95 = _errs451 === errors;
}
else {
var valid95 = true;
}
if(valid95){
if(data205.signingAlgs !== undefined){
let data213 = data205.signingAlgs;
const _errs453 = errors;
if(errors === _errs453){
if(Array.isArray(data213)){
var valid96 = true;
const len24 = data213.length;
for(let i24=0; i24<len24; i24++){
const _errs455 = errors;
if(typeof data213[i24] !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/oidcConfig/signingAlgs/" + i24,keyword:"type",params:{type: "string"}}];
return false;
}
var valid96 = _errs455 === errors;
if(!valid96){
break;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/oidcConfig/signingAlgs",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid95 = _errs453 === errors;
}
else {
var valid95 = true;
}
if(valid95){
if(data205.requiredClaims !== undefined){
let data215 = data205.requiredClaims;
const _errs457 = errors;
if(errors === _errs457){
if(data215 && typeof data215 == "object" && !Array.isArray(data215)){
for(const key10 in data215){
const _errs460 = errors;
if(typeof data215[key10] !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/oidcConfig/requiredClaims/" + key10.replace(/~/g, "~0").replace(/\//g, "~1"),keyword:"type",params:{type: "string"}}];
return false;
}
var valid97 = _errs460 === errors;
if(!valid97){
break;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/oidcConfig/requiredClaims",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid95 = _errs457 === errors;
}
else {
var valid95 = true;
}
}
}
}
}
}
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/oidcConfig",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid73 = _errs437 === errors;
}
else {
var valid73 = true;
}
if(valid73){
if(data150.resourcesToStoreInETCDEvents !== undefined){
let data217 = data150.resourcesToStoreInETCDEvents;
const _errs462 = errors;
if(errors === _errs462){
if(Array.isArray(data217)){
var valid98 = true;
const len25 = data217.length;
for(let i25=0; i25<len25; i25++){
let data218 = data217[i25];
const _errs464 = errors;
if(errors === _errs464){
if(data218 && typeof data218 == "object" && !Array.isArray(data218)){
let missing29;
if(((data218.group === undefined) && (missing29 = "group")) || ((data218.resource === undefined) && (missing29 = "resource"))){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/resourcesToStoreInETCDEvents/" + i25,keyword:"required",params:{missingProperty: missing29}}];
return false;
}
else {
if(data218.group !== undefined){
const _errs466 = errors;
if(typeof data218.group !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/resourcesToStoreInETCDEvents/" + i25+"/group",keyword:"type",params:{type: "string"}}];
return false;
}
var valid99 = _errs466 === errors;
}
else {
var valid99 = true;
}
if(valid99){
if(data218.resource !== undefined){
const _errs468 = errors;
if(typeof data218.resource !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/resourcesToStoreInETCDEvents/" + i25+"/resource",keyword:"type",params:{type: "string"}}];
return false;
}
var valid99 = _errs468 === errors;
}
else {
var valid99 = true;
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/resourcesToStoreInETCDEvents/" + i25,keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid98 = _errs464 === errors;
if(!valid98){
break;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/resourcesToStoreInETCDEvents",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid73 = _errs462 === errors;
}
else {
var valid73 = true;
}
if(valid73){
if(data150.runtimeConfig !== undefined){
let data221 = data150.runtimeConfig;
const _errs470 = errors;
if(errors === _errs470){
if(data221 && typeof data221 == "object" && !Array.isArray(data221)){
for(const key11 in data221){
const _errs473 = errors;
if(typeof data221[key11] !== "boolean"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/runtimeConfig/" + key11.replace(/~/g, "~0").replace(/\//g, "~1"),keyword:"type",params:{type: "boolean"}}];
return false;
}
var valid100 = _errs473 === errors;
if(!valid100){
break;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/runtimeConfig",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid73 = _errs470 === errors;
}
else {
var valid73 = true;
}
if(valid73){
if(data150.serviceAccountConfig !== undefined){
let data223 = data150.serviceAccountConfig;
const _errs475 = errors;
if(errors === _errs475){
if(data223 && typeof data223 == "object" && !Array.isArray(data223)){
if(data223.issuer !== undefined){
const _errs477 = errors;
if(typeof data223.issuer !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/serviceAccountConfig/issuer",keyword:"type",params:{type: "string"}}];
return false;
}
var valid101 = _errs477 === errors;
}
else {
var valid101 = true;
}
if(valid101){
if(data223.acceptedIssuers !== undefined){
let data225 = data223.acceptedIssuers;
const _errs479 = errors;
if(errors === _errs479){
if(Array.isArray(data225)){
var valid102 = true;
const len26 = data225.length;
for(let i26=0; i26<len26; i26++){
const _errs481 = errors;
if(typeof data225[i26] !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/serviceAccountConfig/acceptedIssuers/" + i26,keyword:"type",params:{type: "string"}}];
return false;
}
var valid102 = _errs481 === errors;
if(!valid102){
break;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/serviceAccountConfig/acceptedIssuers",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid101 = _errs479 === errors;
}
else {
var valid101 = true;
}
if(valid101){
if(data223.extendTokenExpiration !== undefined){
const _errs483 = errors;
if(typeof data223.extendTokenExpiration !== "boolean"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/serviceAccountConfig/extendTokenExpiration",keyword:"type",params:{type: "boolean"}}];
return false;
}
var valid101 = _errs483 === errors;
}
else {
var valid101 = true;
}
if(valid101){
if(data223.maxTokenExpiration !== undefined){
const _errs485 = errors;
if(typeof data223.maxTokenExpiration !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/serviceAccountConfig/maxTokenExpiration",keyword:"type",params:{type: "string"}}];
return false;
}
var valid101 = _errs485 === errors;
}
else {
var valid101 = true;
}
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/serviceAccountConfig",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid73 = _errs475 === errors;
}
else {
var valid73 = true;
}
if(valid73){
if(data150.sni !== undefined){
let data229 = data150.sni;
const _errs487 = errors;
if(errors === _errs487){
if(data229 && typeof data229 == "object" && !Array.isArray(data229)){
if(data229.secretName !== undefined){
const _errs489 = errors;
if(typeof data229.secretName !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/sni/secretName",keyword:"type",params:{type: "string"}}];
return false;
}
var valid103 = _errs489 === errors;
}
else {
var valid103 = true;
}
if(valid103){
if(data229.domainPatterns !== undefined){
let data231 = data229.domainPatterns;
const _errs491 = errors;
if(errors === _errs491){
if(Array.isArray(data231)){
var valid104 = true;
const len27 = data231.length;
for(let i27=0; i27<len27; i27++){
const _errs493 = errors;
if(typeof data231[i27] !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/sni/domainPatterns/" + i27,keyword:"type",params:{type: "string"}}];
return false;
}
var valid104 = _errs493 === errors;
if(!valid104){
break;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/sni/domainPatterns",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid103 = _errs491 === errors;
}
else {
var valid103 = true;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/sni",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid73 = _errs487 === errors;
}
else {
var valid73 = true;
}
if(valid73){
if(data150.structuredAuthentication !== undefined){
let data233 = data150.structuredAuthentication;
const _errs495 = errors;
if(errors === _errs495){
if(data233 && typeof data233 == "object" && !Array.isArray(data233)){
let missing30;
if((data233.configMapName === undefined) && (missing30 = "configMapName")){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/structuredAuthentication",keyword:"required",params:{missingProperty: missing30}}];
return false;
}
else {
if(data233.configMapName !== undefined){
if(typeof data233.configMapName !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/structuredAuthentication/configMapName",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/structuredAuthentication",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid73 = _errs495 === errors;
}
else {
var valid73 = true;
}
if(valid73){
if(data150.structuredAuthorization !== undefined){
let data235 = data150.structuredAuthorization;
const _errs499 = errors;
if(errors === _errs499){
if(data235 && typeof data235 == "object" && !Array.isArray(data235)){
let missing31;
if(((data235.configMapName === undefined) && (missing31 = "configMapName")) || ((data235.kubeconfigs === undefined) && (missing31 = "kubeconfigs"))){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/structuredAuthorization",keyword:"required",params:{missingProperty: missing31}}];
return false;
}
else {
if(data235.configMapName !== undefined){
const _errs501 = errors;
if(typeof data235.configMapName !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/structuredAuthorization/configMapName",keyword:"type",params:{type: "string"}}];
return false;
}
var valid106 = _errs501 === errors;
}
else {
var valid106 = true;
}
if(valid106){
if(data235.kubeconfigs !== undefined){
let data237 = data235.kubeconfigs;
const _errs503 = errors;
if(errors === _errs503){
if(Array.isArray(data237)){
var valid107 = true;
const len28 = data237.length;
for(let i28=0; i28<len28; i28++){
let data238 = data237[i28];
const _errs505 = errors;
if(errors === _errs505){
if(data238 && typeof data238 == "object" && !Array.isArray(data238)){
let missing32;
if(((data238.authorizerName === undefined) && (missing32 = "authorizerName")) || ((data238.secretName === undefined) && (missing32 = "secretName"))){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/structuredAuthorization/kubeconfigs/" + i28,keyword:"required",params:{missingProperty: missing32}}];
return false;
}
else {
if(data238.authorizerName !== undefined){
const _errs507 = errors;
if(typeof data238.authorizerName !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/structuredAuthorization/kubeconfigs/" + i28+"/authorizerName",keyword:"type",params:{type: "string"}}];
return false;
}
var valid108 = _errs507 === errors;
}
else {
var valid108 = true;
}
if(valid108){
if(data238.secretName !== undefined){
const _errs509 = errors;
if(typeof data238.secretName !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/structuredAuthorization/kubeconfigs/" + i28+"/secretName",keyword:"type",params:{type: "string"}}];
return false;
}
var valid108 = _errs509 === errors;
}
else {
var valid108 = true;
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/structuredAuthorization/kubeconfigs/" + i28,keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid107 = _errs505 === errors;
if(!valid107){
break;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/structuredAuthorization/kubeconfigs",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid106 = _errs503 === errors;
}
else {
var valid106 = true;
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/structuredAuthorization",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid73 = _errs499 === errors;
}
else {
var valid73 = true;
}
if(valid73){
if(data150.tlsMinVersion !== undefined){
const _errs511 = errors;
if(typeof data150.tlsMinVersion !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer/tlsMinVersion",keyword:"type",params:{type: "string"}}];
return false;
}
var valid73 = _errs511 === errors;
}
else {
var valid73 = true;
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeAPIServer",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid72 = _errs321 === errors;
}
else {
var valid72 = true;
}
if(valid72){
if(data148.kubeControllerManager !== undefined){
let data242 = data148.kubeControllerManager;
const _errs513 = errors;
if(errors === _errs513){
if(data242 && typeof data242 == "object" && !Array.isArray(data242)){
if(data242.certificateSigningDuration !== undefined){
const _errs515 = errors;
if(typeof data242.certificateSigningDuration !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeControllerManager/certificateSigningDuration",keyword:"type",params:{type: "string"}}];
return false;
}
var valid109 = _errs515 === errors;
}
else {
var valid109 = true;
}
if(valid109){
if(data242.featureGates !== undefined){
let data244 = data242.featureGates;
const _errs517 = errors;
if(errors === _errs517){
if(data244 && typeof data244 == "object" && !Array.isArray(data244)){
for(const key12 in data244){
const _errs520 = errors;
if(typeof data244[key12] !== "boolean"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeControllerManager/featureGates/" + key12.replace(/~/g, "~0").replace(/\//g, "~1"),keyword:"type",params:{type: "boolean"}}];
return false;
}
var valid110 = _errs520 === errors;
if(!valid110){
break;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeControllerManager/featureGates",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid109 = _errs517 === errors;
}
else {
var valid109 = true;
}
if(valid109){
if(data242.horizontalPodAutoscaler !== undefined){
let data246 = data242.horizontalPodAutoscaler;
const _errs522 = errors;
if(!(data246 && typeof data246 == "object" && !Array.isArray(data246))){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeControllerManager/horizontalPodAutoscaler",keyword:"type",params:{type: "object"}}];
return false;
}
var valid109 = _errs522 === errors;
}
else {
var valid109 = true;
}
if(valid109){
if(data242.nodeCIDRMaskSize !== undefined){
let data247 = data242.nodeCIDRMaskSize;
const _errs524 = errors;
if(!((typeof data247 == "number") && (!(data247 % 1) && !isNaN(data247)))){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeControllerManager/nodeCIDRMaskSize",keyword:"type",params:{type: "integer"}}];
return false;
}
var valid109 = _errs524 === errors;
}
else {
var valid109 = true;
}
if(valid109){
if(data242.nodeCIDRMaskSizeIPv6 !== undefined){
let data248 = data242.nodeCIDRMaskSizeIPv6;
const _errs526 = errors;
if(!((typeof data248 == "number") && (!(data248 % 1) && !isNaN(data248)))){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeControllerManager/nodeCIDRMaskSizeIPv6",keyword:"type",params:{type: "integer"}}];
return false;
}
var valid109 = _errs526 === errors;
}
else {
var valid109 = true;
}
if(valid109){
if(data242.nodeMonitorGracePeriod !== undefined){
const _errs528 = errors;
if(typeof data242.nodeMonitorGracePeriod !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeControllerManager/nodeMonitorGracePeriod",keyword:"type",params:{type: "string"}}];
return false;
}
var valid109 = _errs528 === errors;
}
else {
var valid109 = true;
}
if(valid109){
if(data242.podEvictionTimeout !== undefined){
const _errs530 = errors;
if(typeof data242.podEvictionTimeout !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeControllerManager/podEvictionTimeout",keyword:"type",params:{type: "string"}}];
return false;
}
var valid109 = _errs530 === errors;
}
else {
var valid109 = true;
}
}
}
}
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes/kubeControllerManager",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid72 = _errs513 === errors;
}
else {
var valid72 = true;
}
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/kubernetes",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid30 = _errs317 === errors;
}
else {
var valid30 = true;
}
if(valid30){
if(data52.maintenance !== undefined){
let data251 = data52.maintenance;
const _errs532 = errors;
if(errors === _errs532){
if(data251 && typeof data251 == "object" && !Array.isArray(data251)){
let missing33;
if((data251.timeWindow === undefined) && (missing33 = "timeWindow")){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/maintenance",keyword:"required",params:{missingProperty: missing33}}];
return false;
}
else {
if(data251.timeWindow !== undefined){
let data252 = data251.timeWindow;
const _errs534 = errors;
if(errors === _errs534){
if(data252 && typeof data252 == "object" && !Array.isArray(data252)){
let missing34;
if(((data252.begin === undefined) && (missing34 = "begin")) || ((data252.end === undefined) && (missing34 = "end"))){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/maintenance/timeWindow",keyword:"required",params:{missingProperty: missing34}}];
return false;
}
else {
if(data252.begin !== undefined){
const _errs536 = errors;
if(typeof data252.begin !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/maintenance/timeWindow/begin",keyword:"type",params:{type: "string"}}];
return false;
}
var valid112 = _errs536 === errors;
}
else {
var valid112 = true;
}
if(valid112){
if(data252.end !== undefined){
const _errs538 = errors;
if(typeof data252.end !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/maintenance/timeWindow/end",keyword:"type",params:{type: "string"}}];
return false;
}
var valid112 = _errs538 === errors;
}
else {
var valid112 = true;
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/maintenance/timeWindow",keyword:"type",params:{type: "object"}}];
return false;
}
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/maintenance",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid30 = _errs532 === errors;
}
else {
var valid30 = true;
}
if(valid30){
if(data52.networking !== undefined){
let data255 = data52.networking;
const _errs540 = errors;
if(errors === _errs540){
if(data255 && typeof data255 == "object" && !Array.isArray(data255)){
let missing35;
if((data255.services === undefined) && (missing35 = "services")){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/networking",keyword:"required",params:{missingProperty: missing35}}];
return false;
}
else {
if(data255.services !== undefined){
let data256 = data255.services;
const _errs542 = errors;
if(errors === _errs542){
if(Array.isArray(data256)){
var valid114 = true;
const len29 = data256.length;
for(let i29=0; i29<len29; i29++){
const _errs544 = errors;
if(typeof data256[i29] !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/networking/services/" + i29,keyword:"type",params:{type: "string"}}];
return false;
}
var valid114 = _errs544 === errors;
if(!valid114){
break;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/networking/services",keyword:"type",params:{type: "array"}}];
return false;
}
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/networking",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid30 = _errs540 === errors;
}
else {
var valid30 = true;
}
if(valid30){
if(data52.etcd !== undefined){
let data258 = data52.etcd;
const _errs546 = errors;
if(errors === _errs546){
if(data258 && typeof data258 == "object" && !Array.isArray(data258)){
if(data258.main !== undefined){
let data259 = data258.main;
const _errs548 = errors;
if(errors === _errs548){
if(data259 && typeof data259 == "object" && !Array.isArray(data259)){
if(data259.storage !== undefined){
let data260 = data259.storage;
const _errs550 = errors;
if(errors === _errs550){
if(data260 && typeof data260 == "object" && !Array.isArray(data260)){
if(data260.capacity !== undefined){
let data261 = data260.capacity;
const _errs552 = errors;
const _errs553 = errors;
let valid118 = false;
const _errs554 = errors;
if(!((typeof data261 == "number") && (!(data261 % 1) && !isNaN(data261)))){
const err12 = {instancePath:instancePath+"/spec/virtualCluster/etcd/main/storage/capacity",keyword:"type",params:{type: "integer"}};
if(vErrors === null){
vErrors = [err12];
}
else {
vErrors.push(err12);
}
errors++;
}
var _valid4 = _errs554 === errors;
valid118 = valid118 || _valid4;
if(!valid118){
const _errs556 = errors;
if(typeof data261 !== "string"){
const err13 = {instancePath:instancePath+"/spec/virtualCluster/etcd/main/storage/capacity",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err13];
}
else {
vErrors.push(err13);
}
errors++;
}
var _valid4 = _errs556 === errors;
valid118 = valid118 || _valid4;
}
if(!valid118){
const err14 = {instancePath:instancePath+"/spec/virtualCluster/etcd/main/storage/capacity",keyword:"anyOf",params:{}};
if(vErrors === null){
vErrors = [err14];
}
else {
vErrors.push(err14);
}
errors++;
validate10.errors = vErrors;
return false;
}
else {
errors = _errs553;
if(vErrors !== null){
if(_errs553){
vErrors.length = _errs553;
}
else {
vErrors = null;
}
}
}
var valid117 = _errs552 === errors;
}
else {
var valid117 = true;
}
if(valid117){
if(data260.className !== undefined){
const _errs558 = errors;
if(typeof data260.className !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/etcd/main/storage/className",keyword:"type",params:{type: "string"}}];
return false;
}
var valid117 = _errs558 === errors;
}
else {
var valid117 = true;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/etcd/main/storage",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid116 = _errs550 === errors;
}
else {
var valid116 = true;
}
if(valid116){
if(data259.autoscaling !== undefined){
let data263 = data259.autoscaling;
const _errs560 = errors;
if(errors === _errs560){
if(data263 && typeof data263 == "object" && !Array.isArray(data263)){
let missing36;
if((data263.minAllowed === undefined) && (missing36 = "minAllowed")){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/etcd/main/autoscaling",keyword:"required",params:{missingProperty: missing36}}];
return false;
}
else {
if(data263.minAllowed !== undefined){
let data264 = data263.minAllowed;
const _errs562 = errors;
if(errors === _errs562){
if(data264 && typeof data264 == "object" && !Array.isArray(data264)){
for(const key13 in data264){
let data265 = data264[key13];
const _errs565 = errors;
const _errs566 = errors;
let valid121 = false;
const _errs567 = errors;
if(!((typeof data265 == "number") && (!(data265 % 1) && !isNaN(data265)))){
const err15 = {instancePath:instancePath+"/spec/virtualCluster/etcd/main/autoscaling/minAllowed/" + key13.replace(/~/g, "~0").replace(/\//g, "~1"),keyword:"type",params:{type: "integer"}};
if(vErrors === null){
vErrors = [err15];
}
else {
vErrors.push(err15);
}
errors++;
}
var _valid5 = _errs567 === errors;
valid121 = valid121 || _valid5;
if(!valid121){
const _errs569 = errors;
if(typeof data265 !== "string"){
const err16 = {instancePath:instancePath+"/spec/virtualCluster/etcd/main/autoscaling/minAllowed/" + key13.replace(/~/g, "~0").replace(/\//g, "~1"),keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err16];
}
else {
vErrors.push(err16);
}
errors++;
}
var _valid5 = _errs569 === errors;
valid121 = valid121 || _valid5;
}
if(!valid121){
const err17 = {instancePath:instancePath+"/spec/virtualCluster/etcd/main/autoscaling/minAllowed/" + key13.replace(/~/g, "~0").replace(/\//g, "~1"),keyword:"anyOf",params:{}};
if(vErrors === null){
vErrors = [err17];
}
else {
vErrors.push(err17);
}
errors++;
validate10.errors = vErrors;
return false;
}
else {
errors = _errs566;
if(vErrors !== null){
if(_errs566){
vErrors.length = _errs566;
}
else {
vErrors = null;
}
}
}
var valid120 = _errs565 === errors;
if(!valid120){
break;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/etcd/main/autoscaling/minAllowed",keyword:"type",params:{type: "object"}}];
return false;
}
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/etcd/main/autoscaling",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid116 = _errs560 === errors;
}
else {
var valid116 = true;
}
if(valid116){
if(data259.backup !== undefined){
let data266 = data259.backup;
const _errs571 = errors;
if(errors === _errs571){
if(data266 && typeof data266 == "object" && !Array.isArray(data266)){
let missing37;
if(((data266.provider === undefined) && (missing37 = "provider")) || ((data266.secretRef === undefined) && (missing37 = "secretRef"))){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/etcd/main/backup",keyword:"required",params:{missingProperty: missing37}}];
return false;
}
else {
if(data266.provider !== undefined){
const _errs573 = errors;
if(typeof data266.provider !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/etcd/main/backup/provider",keyword:"type",params:{type: "string"}}];
return false;
}
var valid122 = _errs573 === errors;
}
else {
var valid122 = true;
}
if(valid122){
if(data266.secretRef !== undefined){
let data268 = data266.secretRef;
const _errs575 = errors;
if(errors === _errs575){
if(data268 && typeof data268 == "object" && !Array.isArray(data268)){
if(data268.name !== undefined){
if(typeof data268.name !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/etcd/main/backup/secretRef/name",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/etcd/main/backup/secretRef",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid122 = _errs575 === errors;
}
else {
var valid122 = true;
}
if(valid122){
if(data266.bucketName !== undefined){
const _errs579 = errors;
if(typeof data266.bucketName !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/etcd/main/backup/bucketName",keyword:"type",params:{type: "string"}}];
return false;
}
var valid122 = _errs579 === errors;
}
else {
var valid122 = true;
}
if(valid122){
if(data266.region !== undefined){
const _errs581 = errors;
if(typeof data266.region !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/etcd/main/backup/region",keyword:"type",params:{type: "string"}}];
return false;
}
var valid122 = _errs581 === errors;
}
else {
var valid122 = true;
}
if(valid122){
if(data266.providerConfig !== undefined){
let data272 = data266.providerConfig;
const _errs583 = errors;
if(!(data272 && typeof data272 == "object" && !Array.isArray(data272))){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/etcd/main/backup/providerConfig",keyword:"type",params:{type: "object"}}];
return false;
}
var valid122 = _errs583 === errors;
}
else {
var valid122 = true;
}
}
}
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/etcd/main/backup",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid116 = _errs571 === errors;
}
else {
var valid116 = true;
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/etcd/main",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid115 = _errs548 === errors;
}
else {
var valid115 = true;
}
if(valid115){
if(data258.events !== undefined){
let data273 = data258.events;
const _errs585 = errors;
if(errors === _errs585){
if(data273 && typeof data273 == "object" && !Array.isArray(data273)){
if(data273.storage !== undefined){
let data274 = data273.storage;
const _errs587 = errors;
if(errors === _errs587){
if(data274 && typeof data274 == "object" && !Array.isArray(data274)){
if(data274.capacity !== undefined){
let data275 = data274.capacity;
const _errs589 = errors;
const _errs590 = errors;
let valid126 = false;
const _errs591 = errors;
if(!((typeof data275 == "number") && (!(data275 % 1) && !isNaN(data275)))){
const err18 = {instancePath:instancePath+"/spec/virtualCluster/etcd/events/storage/capacity",keyword:"type",params:{type: "integer"}};
if(vErrors === null){
vErrors = [err18];
}
else {
vErrors.push(err18);
}
errors++;
}
var _valid6 = _errs591 === errors;
valid126 = valid126 || _valid6;
if(!valid126){
const _errs593 = errors;
if(typeof data275 !== "string"){
const err19 = {instancePath:instancePath+"/spec/virtualCluster/etcd/events/storage/capacity",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err19];
}
else {
vErrors.push(err19);
}
errors++;
}
var _valid6 = _errs593 === errors;
valid126 = valid126 || _valid6;
}
if(!valid126){
const err20 = {instancePath:instancePath+"/spec/virtualCluster/etcd/events/storage/capacity",keyword:"anyOf",params:{}};
if(vErrors === null){
vErrors = [err20];
}
else {
vErrors.push(err20);
}
errors++;
validate10.errors = vErrors;
return false;
}
else {
errors = _errs590;
if(vErrors !== null){
if(_errs590){
vErrors.length = _errs590;
}
else {
vErrors = null;
}
}
}
var valid125 = _errs589 === errors;
}
else {
var valid125 = true;
}
if(valid125){
if(data274.className !== undefined){
const _errs595 = errors;
if(typeof data274.className !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/etcd/events/storage/className",keyword:"type",params:{type: "string"}}];
return false;
}
var valid125 = _errs595 === errors;
}
else {
var valid125 = true;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/etcd/events/storage",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid124 = _errs587 === errors;
}
else {
var valid124 = true;
}
if(valid124){
if(data273.autoscaling !== undefined){
let data277 = data273.autoscaling;
const _errs597 = errors;
if(errors === _errs597){
if(data277 && typeof data277 == "object" && !Array.isArray(data277)){
let missing38;
if((data277.minAllowed === undefined) && (missing38 = "minAllowed")){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/etcd/events/autoscaling",keyword:"required",params:{missingProperty: missing38}}];
return false;
}
else {
if(data277.minAllowed !== undefined){
let data278 = data277.minAllowed;
const _errs599 = errors;
if(errors === _errs599){
if(data278 && typeof data278 == "object" && !Array.isArray(data278)){
for(const key14 in data278){
let data279 = data278[key14];
const _errs602 = errors;
const _errs603 = errors;
let valid129 = false;
const _errs604 = errors;
if(!((typeof data279 == "number") && (!(data279 % 1) && !isNaN(data279)))){
const err21 = {instancePath:instancePath+"/spec/virtualCluster/etcd/events/autoscaling/minAllowed/" + key14.replace(/~/g, "~0").replace(/\//g, "~1"),keyword:"type",params:{type: "integer"}};
if(vErrors === null){
vErrors = [err21];
}
else {
vErrors.push(err21);
}
errors++;
}
var _valid7 = _errs604 === errors;
valid129 = valid129 || _valid7;
if(!valid129){
const _errs606 = errors;
if(typeof data279 !== "string"){
const err22 = {instancePath:instancePath+"/spec/virtualCluster/etcd/events/autoscaling/minAllowed/" + key14.replace(/~/g, "~0").replace(/\//g, "~1"),keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err22];
}
else {
vErrors.push(err22);
}
errors++;
}
var _valid7 = _errs606 === errors;
valid129 = valid129 || _valid7;
}
if(!valid129){
const err23 = {instancePath:instancePath+"/spec/virtualCluster/etcd/events/autoscaling/minAllowed/" + key14.replace(/~/g, "~0").replace(/\//g, "~1"),keyword:"anyOf",params:{}};
if(vErrors === null){
vErrors = [err23];
}
else {
vErrors.push(err23);
}
errors++;
validate10.errors = vErrors;
return false;
}
else {
errors = _errs603;
if(vErrors !== null){
if(_errs603){
vErrors.length = _errs603;
}
else {
vErrors = null;
}
}
}
var valid128 = _errs602 === errors;
if(!valid128){
break;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/etcd/events/autoscaling/minAllowed",keyword:"type",params:{type: "object"}}];
return false;
}
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/etcd/events/autoscaling",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid124 = _errs597 === errors;
}
else {
var valid124 = true;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/etcd/events",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid115 = _errs585 === errors;
}
else {
var valid115 = true;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/etcd",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid30 = _errs546 === errors;
}
else {
var valid30 = true;
}
if(valid30){
if(data52.controlPlane !== undefined){
let data280 = data52.controlPlane;
const _errs608 = errors;
if(errors === _errs608){
if(data280 && typeof data280 == "object" && !Array.isArray(data280)){
if(data280.highAvailability !== undefined){
let data281 = data280.highAvailability;
const _errs610 = errors;
if(errors === _errs610){
if(!(data281 && typeof data281 == "object" && !Array.isArray(data281))){
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/controlPlane/highAvailability",keyword:"type",params:{type: "object"}}];
return false;
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster/controlPlane",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid30 = _errs608 === errors;
}
else {
var valid30 = true;
}
}
}
}
}
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/virtualCluster",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid4 = _errs117 === errors;
}
else {
var valid4 = true;
}
if(valid4){
if(data7.dns !== undefined){
let data282 = data7.dns;
const _errs612 = errors;
if(errors === _errs612){
if(data282 && typeof data282 == "object" && !Array.isArray(data282)){
let missing39;
if((data282.providers === undefined) && (missing39 = "providers")){
validate10.errors = [{instancePath:instancePath+"/spec/dns",keyword:"required",params:{missingProperty: missing39}}];
return false;
}
else {
if(data282.providers !== undefined){
let data283 = data282.providers;
const _errs614 = errors;
if(errors === _errs614){
if(Array.isArray(data283)){
var valid132 = true;
const len30 = data283.length;
for(let i30=0; i30<len30; i30++){
let data284 = data283[i30];
const _errs616 = errors;
if(errors === _errs616){
if(data284 && typeof data284 == "object" && !Array.isArray(data284)){
let missing40;
if((((data284.name === undefined) && (missing40 = "name")) || ((data284.type === undefined) && (missing40 = "type"))) || ((data284.secretRef === undefined) && (missing40 = "secretRef"))){
validate10.errors = [{instancePath:instancePath+"/spec/dns/providers/" + i30,keyword:"required",params:{missingProperty: missing40}}];
return false;
}
else {
if(data284.name !== undefined){
const _errs618 = errors;
if(typeof data284.name !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/dns/providers/" + i30+"/name",keyword:"type",params:{type: "string"}}];
return false;
}
var valid133 = _errs618 === errors;
}
else {
var valid133 = true;
}
if(valid133){
if(data284.type !== undefined){
const _errs620 = errors;
if(typeof data284.type !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/dns/providers/" + i30+"/type",keyword:"type",params:{type: "string"}}];
return false;
}
var valid133 = _errs620 === errors;
}
else {
var valid133 = true;
}
if(valid133){
if(data284.secretRef !== undefined){
let data287 = data284.secretRef;
const _errs622 = errors;
if(errors === _errs622){
if(data287 && typeof data287 == "object" && !Array.isArray(data287)){
if(data287.name !== undefined){
if(typeof data287.name !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/dns/providers/" + i30+"/secretRef/name",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/dns/providers/" + i30+"/secretRef",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid133 = _errs622 === errors;
}
else {
var valid133 = true;
}
if(valid133){
if(data284.providerConfig !== undefined){
let data289 = data284.providerConfig;
const _errs626 = errors;
if(!(data289 && typeof data289 == "object" && !Array.isArray(data289))){
validate10.errors = [{instancePath:instancePath+"/spec/dns/providers/" + i30+"/providerConfig",keyword:"type",params:{type: "object"}}];
return false;
}
var valid133 = _errs626 === errors;
}
else {
var valid133 = true;
}
}
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/dns/providers/" + i30,keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid132 = _errs616 === errors;
if(!valid132){
break;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/dns/providers",keyword:"type",params:{type: "array"}}];
return false;
}
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/dns",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid4 = _errs612 === errors;
}
else {
var valid4 = true;
}
if(valid4){
if(data7.extensions !== undefined){
let data290 = data7.extensions;
const _errs628 = errors;
if(errors === _errs628){
if(Array.isArray(data290)){
var valid135 = true;
const len31 = data290.length;
for(let i31=0; i31<len31; i31++){
let data291 = data290[i31];
const _errs630 = errors;
if(errors === _errs630){
if(data291 && typeof data291 == "object" && !Array.isArray(data291)){
let missing41;
if((data291.type === undefined) && (missing41 = "type")){
validate10.errors = [{instancePath:instancePath+"/spec/extensions/" + i31,keyword:"required",params:{missingProperty: missing41}}];
return false;
}
else {
if(data291.type !== undefined){
const _errs632 = errors;
if(typeof data291.type !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/extensions/" + i31+"/type",keyword:"type",params:{type: "string"}}];
return false;
}
var valid136 = _errs632 === errors;
}
else {
var valid136 = true;
}
if(valid136){
if(data291.providerConfig !== undefined){
let data293 = data291.providerConfig;
const _errs634 = errors;
if(!(data293 && typeof data293 == "object" && !Array.isArray(data293))){
validate10.errors = [{instancePath:instancePath+"/spec/extensions/" + i31+"/providerConfig",keyword:"type",params:{type: "object"}}];
return false;
}
var valid136 = _errs634 === errors;
}
else {
var valid136 = true;
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/extensions/" + i31,keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid135 = _errs630 === errors;
if(!valid135){
break;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/extensions",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid4 = _errs628 === errors;
}
else {
var valid4 = true;
}
if(valid4){
if(data7.resources !== undefined){
let data294 = data7.resources;
const _errs636 = errors;
if(errors === _errs636){
if(Array.isArray(data294)){
var valid137 = true;
const len32 = data294.length;
for(let i32=0; i32<len32; i32++){
let data295 = data294[i32];
const _errs638 = errors;
if(errors === _errs638){
if(data295 && typeof data295 == "object" && !Array.isArray(data295)){
let missing42;
if(((data295.name === undefined) && (missing42 = "name")) || ((data295.resourceRef === undefined) && (missing42 = "resourceRef"))){
validate10.errors = [{instancePath:instancePath+"/spec/resources/" + i32,keyword:"required",params:{missingProperty: missing42}}];
return false;
}
else {
if(data295.name !== undefined){
const _errs640 = errors;
if(typeof data295.name !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/resources/" + i32+"/name",keyword:"type",params:{type: "string"}}];
return false;
}
var valid138 = _errs640 === errors;
}
else {
var valid138 = true;
}
if(valid138){
if(data295.resourceRef !== undefined){
let data297 = data295.resourceRef;
const _errs642 = errors;
if(errors === _errs642){
if(data297 && typeof data297 == "object" && !Array.isArray(data297)){
let missing43;
if(((data297.kind === undefined) && (missing43 = "kind")) || ((data297.name === undefined) && (missing43 = "name"))){
validate10.errors = [{instancePath:instancePath+"/spec/resources/" + i32+"/resourceRef",keyword:"required",params:{missingProperty: missing43}}];
return false;
}
else {
if(data297.kind !== undefined){
const _errs644 = errors;
if(typeof data297.kind !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/resources/" + i32+"/resourceRef/kind",keyword:"type",params:{type: "string"}}];
return false;
}
var valid139 = _errs644 === errors;
}
else {
var valid139 = true;
}
if(valid139){
if(data297.name !== undefined){
const _errs646 = errors;
if(typeof data297.name !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/resources/" + i32+"/resourceRef/name",keyword:"type",params:{type: "string"}}];
return false;
}
var valid139 = _errs646 === errors;
}
else {
var valid139 = true;
}
if(valid139){
if(data297.apiVersion !== undefined){
const _errs648 = errors;
if(typeof data297.apiVersion !== "string"){
validate10.errors = [{instancePath:instancePath+"/spec/resources/" + i32+"/resourceRef/apiVersion",keyword:"type",params:{type: "string"}}];
return false;
}
var valid139 = _errs648 === errors;
}
else {
var valid139 = true;
}
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/resources/" + i32+"/resourceRef",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid138 = _errs642 === errors;
}
else {
var valid138 = true;
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/resources/" + i32,keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid137 = _errs638 === errors;
if(!valid137){
break;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec/resources",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid4 = _errs636 === errors;
}
else {
var valid4 = true;
}
}
}
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/spec",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid0 = _errs16 === errors;
}
else {
var valid0 = true;
}
}
}
}
else {
validate10.errors = [{instancePath,keyword:"type",params:{type: "object"}}];
return false;
}
}
validate10.errors = vErrors;
return errors === 0;
}

export const metadataFits = validate11;
const schema12 = {"type":"object","required":["metadata"],"properties":{"metadata":{"type":"object","properties":{"name":{"type":"string"},"annotations":{"type":"object","additionalProperties":{"type":"string"}},"finalizers":{"type":"array","items":{"type":"string"}},"deletionTimestamp":{"type":"string"}}}}};

function validate11(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.metadata === undefined) && (missing0 = "metadata")){
validate11.errors = [{instancePath,keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
if(data.metadata !== undefined){
let data0 = data.metadata;
const _errs1 = errors;
if(errors === _errs1){
if(data0 && typeof data0 == "object" && !Array.isArray(data0)){
if(data0.name !== undefined){
const _errs3 = errors;
if(typeof data0.name !== "string"){
validate11.errors = [{instancePath:instancePath+"/metadata/name",keyword:"type",params:{type: "string"}}];
return false;
}
var valid1 = _errs3 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data0.annotations !== undefined){
let data2 = data0.annotations;
const _errs5 = errors;
if(errors === _errs5){
if(data2 && typeof data2 == "object" && !Array.isArray(data2)){
for(const key0 in data2){
const _errs8 = errors;
if(typeof data2[key0] !== "string"){
validate11.errors = [{instancePath:instancePath+"/metadata/annotations/" + key0.replace(/~/g, "~0").replace(/\//g, "~1"),keyword:"type",params:{type: "string"}}];
return false;
}
var valid2 = _errs8 === errors;
if(!valid2){
break;
}
}
}
else {
validate11.errors = [{instancePath:instancePath+"/metadata/annotations",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid1 = _errs5 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data0.finalizers !== undefined){
let data4 = data0.finalizers;
const _errs10 = errors;
if(errors === _errs10){
if(Array.isArray(data4)){
var valid3 = true;
const len0 = data4.length;
for(let i0=0; i0<len0; i0++){
const _errs12 = errors;
if(typeof data4[i0] !== "string"){
validate11.errors = [{instancePath:instancePath+"/metadata/finalizers/" + i0,keyword:"type",params:{type: "string"}}];
return false;
}
var valid3 = _errs12 === errors;
if(!valid3){
break;
}
}
}
else {
validate11.errors = [{instancePath:instancePath+"/metadata/finalizers",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid1 = _errs10 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data0.deletionTimestamp !== undefined){
const _errs14 = errors;
if(typeof data0.deletionTimestamp !== "string"){
validate11.errors = [{instancePath:instancePath+"/metadata/deletionTimestamp",keyword:"type",params:{type: "string"}}];
return false;
}
var valid1 = _errs14 === errors;
}
else {
var valid1 = true;
}
}
}
}
}
else {
validate11.errors = [{instancePath:instancePath+"/metadata",keyword:"type",params:{type: "object"}}];
return false;
}
}
}
}
}
else {
validate11.errors = [{instancePath,keyword:"type",params:{type: "object"}}];
return false;
}
}
validate11.errors = vErrors;
return errors === 0;
}

