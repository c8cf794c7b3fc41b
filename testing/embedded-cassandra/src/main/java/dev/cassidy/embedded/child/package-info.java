/** What runs inside the child JVM, on the server's own classpath; nothing here is called by the parent. */
@NullMarked
package dev.cassidy.embedded.child;

import org.jspecify.annotations.NullMarked;
