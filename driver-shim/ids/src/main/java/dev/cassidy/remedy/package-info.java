/** How to correct an error, as data and as the line that a user types. */
@NullMarked
package dev.cassidy.remedy;

import org.jspecify.annotations.NullMarked;
