// Macros of PostgreSQL that change the course of the code around them, for cppcheck, which does not get its headers.
#pragma once
#define foreach(cell, list) for (cell = list_head(list); cell != nullptr; cell = lnext(list, cell))
