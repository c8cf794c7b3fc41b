/** Programs in JVMs of their own that record what they do and what they are told. */
package dev.cassidy.reliability.program;
