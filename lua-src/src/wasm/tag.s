# Defines the exception tag that longjmp throws; undefined, it would be an import that no page can answer.
	.globl	__c_longjmp
	.tagtype	__c_longjmp i32
__c_longjmp:
