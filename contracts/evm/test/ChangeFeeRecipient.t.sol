// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Fixture} from "./Fixture.sol";

contract ChangeFeeRecipientTest is Fixture {
    function test_laterFeesGoToTheNewRecipient() public {
        vm.expectEmit(address(processor));
        emit FeeRecipientChanged(feeTo, stranger);
        vm.prank(admin);
        processor.changeFeeRecipient(stranger);
        _settle(_one(_group(PLAIN, 1, 100, 10_000, 10_000)));
        assertEq(token.balanceOf(stranger), 50);
        assertEq(token.balanceOf(feeTo), 0);
    }

    function test_itMustBeSomebodyElse() public {
        vm.startPrank(admin);
        vm.expectRevert(abi.encodeWithSelector(InvalidRecipient.selector, address(0)));
        processor.changeFeeRecipient(address(0));
        vm.expectRevert(abi.encodeWithSelector(InvalidRecipient.selector, address(processor)));
        processor.changeFeeRecipient(address(processor));
        vm.stopPrank();
    }
}
