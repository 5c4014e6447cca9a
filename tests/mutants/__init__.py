"""`make mutants`: small changes to the code that moves money, settles and chooses; which ones does no test notice?"""
