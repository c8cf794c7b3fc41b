/** What asynchronous code everywhere needs and the JDK does not have. */
@NullMarked
package dev.cassidy.async;

import org.jspecify.annotations.NullMarked;
