// Generated from shared/api/calls/schemas.ts by `npm run generate`; not to be edited.
"use strict";
export const keyFits = validate10;
const schema11 = {"type":"object","description":"the key of an object: namespace and name","required":["namespace","name"],"additionalProperties":false,"properties":{"namespace":{"type":"string","maxLength":63,"pattern":"^([a-z0-9][-a-z0-9]*)?$","description":"a namespace, or \"\" for cluster-scoped objects"},"name":{"type":"string","minLength":1,"maxLength":253,"pattern":"^[A-Za-z0-9][-A-Za-z0-9._:]*$","description":"the name of an object, 1 to 253 letters, digits and -._:"}}};
const pattern0 = new RegExp("^([a-z0-9][-a-z0-9]*)?$", "u");
const pattern1 = new RegExp("^[A-Za-z0-9][-A-Za-z0-9._:]*$", "u");

function validate10(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((data.namespace === undefined) && (missing0 = "namespace")) || ((data.name === undefined) && (missing0 = "name"))){
validate10.errors = [{instancePath,keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'",schema:schema11.required,parentSchema:schema11,data}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((key0 === "namespace") || (key0 === "name"))){
validate10.errors = [{instancePath,keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties",schema:false,parentSchema:schema11,data}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.namespace !== undefined){
let data0 = data.namespace;
const _errs2 = errors;
if(errors === _errs2){
if(typeof data0 === "string"){
if(data0.length > 63){
validate10.errors = [{instancePath:instancePath+"/namespace",keyword:"maxLength",params:{limit: 63},message:"must NOT have more than 63 characters",schema:63,parentSchema:schema11.properties.namespace,data:data0}];
return false;
}
else {
if(!pattern0.test(data0)){
validate10.errors = [{instancePath:instancePath+"/namespace",keyword:"pattern",params:{pattern: "^([a-z0-9][-a-z0-9]*)?$"},message:"must match pattern \""+"^([a-z0-9][-a-z0-9]*)?$"+"\"",schema:"^([a-z0-9][-a-z0-9]*)?$",parentSchema:schema11.properties.namespace,data:data0}];
return false;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/namespace",keyword:"type",params:{type: "string"},message:"must be string",schema:schema11.properties.namespace.type,parentSchema:schema11.properties.namespace,data:data0}];
return false;
}
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.name !== undefined){
let data1 = data.name;
const _errs4 = errors;
if(errors === _errs4){
if(typeof data1 === "string"){
if(data1.length > 253){
validate10.errors = [{instancePath:instancePath+"/name",keyword:"maxLength",params:{limit: 253},message:"must NOT have more than 253 characters",schema:253,parentSchema:schema11.properties.name,data:data1}];
return false;
}
else {
if(data1.length < 1){
validate10.errors = [{instancePath:instancePath+"/name",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters",schema:1,parentSchema:schema11.properties.name,data:data1}];
return false;
}
else {
if(!pattern1.test(data1)){
validate10.errors = [{instancePath:instancePath+"/name",keyword:"pattern",params:{pattern: "^[A-Za-z0-9][-A-Za-z0-9._:]*$"},message:"must match pattern \""+"^[A-Za-z0-9][-A-Za-z0-9._:]*$"+"\"",schema:"^[A-Za-z0-9][-A-Za-z0-9._:]*$",parentSchema:schema11.properties.name,data:data1}];
return false;
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/name",keyword:"type",params:{type: "string"},message:"must be string",schema:schema11.properties.name.type,parentSchema:schema11.properties.name,data:data1}];
return false;
}
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
else {
validate10.errors = [{instancePath,keyword:"type",params:{type: "object"},message:"must be object",schema:schema11.type,parentSchema:schema11,data}];
return false;
}
}
validate10.errors = vErrors;
return errors === 0;
}

export const keysQuestionFits = validate11;
const schema12 = {"type":"object","description":"an object and the type of its event","required":["object","type"],"additionalProperties":false,"properties":{"type":{"enum":["ADDED","MODIFIED","DELETED"]},"object":{"type":"object","description":"a Kubernetes object","required":["apiVersion","kind","metadata"],"properties":{"apiVersion":{"type":"string","minLength":1,"description":"group/version, or v1"},"kind":{"type":"string","minLength":1,"description":"a kind"},"metadata":{"type":"object","description":"metadata with a name","required":["name"],"properties":{"name":{"type":"string","minLength":1,"description":"the name of the object"},"namespace":{"type":"string","description":"its namespace"}}}}}}};

function validate11(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((data.object === undefined) && (missing0 = "object")) || ((data.type === undefined) && (missing0 = "type"))){
validate11.errors = [{instancePath,keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'",schema:schema12.required,parentSchema:schema12,data}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((key0 === "type") || (key0 === "object"))){
validate11.errors = [{instancePath,keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties",schema:false,parentSchema:schema12,data}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.type !== undefined){
let data0 = data.type;
const _errs2 = errors;
if(!(((data0 === "ADDED") || (data0 === "MODIFIED")) || (data0 === "DELETED"))){
validate11.errors = [{instancePath:instancePath+"/type",keyword:"enum",params:{allowedValues: schema12.properties.type.enum},message:"must be equal to one of the allowed values",schema:schema12.properties.type.enum,parentSchema:schema12.properties.type,data:data0}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.object !== undefined){
let data1 = data.object;
const _errs3 = errors;
if(errors === _errs3){
if(data1 && typeof data1 == "object" && !Array.isArray(data1)){
let missing1;
if((((data1.apiVersion === undefined) && (missing1 = "apiVersion")) || ((data1.kind === undefined) && (missing1 = "kind"))) || ((data1.metadata === undefined) && (missing1 = "metadata"))){
validate11.errors = [{instancePath:instancePath+"/object",keyword:"required",params:{missingProperty: missing1},message:"must have required property '"+missing1+"'",schema:schema12.properties.object.required,parentSchema:schema12.properties.object,data:data1}];
return false;
}
else {
if(data1.apiVersion !== undefined){
let data2 = data1.apiVersion;
const _errs5 = errors;
if(errors === _errs5){
if(typeof data2 === "string"){
if(data2.length < 1){
validate11.errors = [{instancePath:instancePath+"/object/apiVersion",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters",schema:1,parentSchema:schema12.properties.object.properties.apiVersion,data:data2}];
return false;
}
}
else {
validate11.errors = [{instancePath:instancePath+"/object/apiVersion",keyword:"type",params:{type: "string"},message:"must be string",schema:schema12.properties.object.properties.apiVersion.type,parentSchema:schema12.properties.object.properties.apiVersion,data:data2}];
return false;
}
}
var valid1 = _errs5 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data1.kind !== undefined){
let data3 = data1.kind;
const _errs7 = errors;
if(errors === _errs7){
if(typeof data3 === "string"){
if(data3.length < 1){
validate11.errors = [{instancePath:instancePath+"/object/kind",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters",schema:1,parentSchema:schema12.properties.object.properties.kind,data:data3}];
return false;
}
}
else {
validate11.errors = [{instancePath:instancePath+"/object/kind",keyword:"type",params:{type: "string"},message:"must be string",schema:schema12.properties.object.properties.kind.type,parentSchema:schema12.properties.object.properties.kind,data:data3}];
return false;
}
}
var valid1 = _errs7 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data1.metadata !== undefined){
let data4 = data1.metadata;
const _errs9 = errors;
if(errors === _errs9){
if(data4 && typeof data4 == "object" && !Array.isArray(data4)){
let missing2;
if((data4.name === undefined) && (missing2 = "name")){
validate11.errors = [{instancePath:instancePath+"/object/metadata",keyword:"required",params:{missingProperty: missing2},message:"must have required property '"+missing2+"'",schema:schema12.properties.object.properties.metadata.required,parentSchema:schema12.properties.object.properties.metadata,data:data4}];
return false;
}
else {
if(data4.name !== undefined){
let data5 = data4.name;
const _errs11 = errors;
if(errors === _errs11){
if(typeof data5 === "string"){
if(data5.length < 1){
validate11.errors = [{instancePath:instancePath+"/object/metadata/name",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters",schema:1,parentSchema:schema12.properties.object.properties.metadata.properties.name,data:data5}];
return false;
}
}
else {
validate11.errors = [{instancePath:instancePath+"/object/metadata/name",keyword:"type",params:{type: "string"},message:"must be string",schema:schema12.properties.object.properties.metadata.properties.name.type,parentSchema:schema12.properties.object.properties.metadata.properties.name,data:data5}];
return false;
}
}
var valid2 = _errs11 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data4.namespace !== undefined){
let data6 = data4.namespace;
const _errs13 = errors;
if(typeof data6 !== "string"){
validate11.errors = [{instancePath:instancePath+"/object/metadata/namespace",keyword:"type",params:{type: "string"},message:"must be string",schema:schema12.properties.object.properties.metadata.properties.namespace.type,parentSchema:schema12.properties.object.properties.metadata.properties.namespace,data:data6}];
return false;
}
var valid2 = _errs13 === errors;
}
else {
var valid2 = true;
}
}
}
}
else {
validate11.errors = [{instancePath:instancePath+"/object/metadata",keyword:"type",params:{type: "object"},message:"must be object",schema:schema12.properties.object.properties.metadata.type,parentSchema:schema12.properties.object.properties.metadata,data:data4}];
return false;
}
}
var valid1 = _errs9 === errors;
}
else {
var valid1 = true;
}
}
}
}
}
else {
validate11.errors = [{instancePath:instancePath+"/object",keyword:"type",params:{type: "object"},message:"must be object",schema:schema12.properties.object.type,parentSchema:schema12.properties.object,data:data1}];
return false;
}
}
var valid0 = _errs3 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
else {
validate11.errors = [{instancePath,keyword:"type",params:{type: "object"},message:"must be object",schema:schema12.type,parentSchema:schema12,data}];
return false;
}
}
validate11.errors = vErrors;
return errors === 0;
}

