/** The tokenizer; CQL statements, recognised and rewritten. No I/O, and nothing but the JDK. */
@NullMarked
package dev.cassidy.insert;

import org.jspecify.annotations.NullMarked;
